//! Files that survive a killed process, a full disk and a power failure: complete under their names, or absent.

use std::fs::File;
use std::io::{BufWriter, Error, Read, Result, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// Writes a file beside its place, forces it to the disk, and moves it to its place.
pub fn write(path: &Path, content: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let written = || -> Result<()> {
        let mut file = BufWriter::new(File::create(&partial)?);
        content(&mut file)?;
        file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        std::fs::rename(&partial, path)?;
        // A name is durable when the folder that holds it is.
        File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
    };
    written().inspect_err(|_| {
        // A full disk leaves a piece, whose room is needed.
        let _ = std::fs::remove_file(&partial);
    })
}

/// What the first bytes of a file of arrays are.
const BEGINNING: &[u8] = b"allotrope arrays 1\n";

/// Writes rows of numbers after a header, with a digest of all of it at the end.
pub fn write_arrays(path: &Path, header: &impl Serialize, arrays: &[&[f32]]) -> Result<()> {
    let sizes: Vec<usize> = arrays.iter().map(|array| array.len()).collect();
    let header = serde_json::to_vec(&(header, sizes)).map_err(Error::other)?;
    write(path, |file| {
        let mut digest = Sha256::new();
        let mut put = |bytes: &[u8]| {
            digest.update(bytes);
            file.write_all(bytes)
        };
        put(BEGINNING)?;
        put(&(header.len() as u64).to_le_bytes())?;
        put(&header)?;
        for numbers in arrays.iter().flat_map(|array| array.chunks(1 << 14)) {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            put(&bytes)?;
        }
        let digest = digest.finalize();
        file.write_all(&digest)
    })
}

/// Reads what [`write_arrays`] wrote. Any change of the file since then is an error.
pub fn read_arrays<Header: DeserializeOwned>(path: &Path) -> Result<(Header, Vec<Vec<f32>>)> {
    let damaged = |problem: &str| Error::other(format!("the file is damaged: {problem}"));
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    let (content, digest) =
        bytes.split_last_chunk::<32>().ok_or_else(|| damaged("it is shorter than what ends every such file"))?;
    if Sha256::digest(content).as_slice() != digest {
        return Err(damaged("its digest is not that of its content"));
    }
    let rest = content.strip_prefix(BEGINNING).ok_or_else(|| damaged("it begins with something else"))?;
    let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(|| damaged("it has no header"))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok().filter(|length| *length <= rest.len());
    let (header, mut rest) = rest.split_at(length.ok_or_else(|| damaged("its header is cut off"))?);
    let (header, sizes): (Header, Vec<usize>) =
        serde_json::from_slice(header).map_err(|error| damaged(&error.to_string()))?;
    let mut arrays = Vec::new();
    for size in sizes {
        let end = size.checked_mul(4).filter(|end| *end <= rest.len()).ok_or_else(|| damaged("numbers are missing"))?;
        let (own, after) = rest.split_at(end);
        arrays.push(own.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect());
        rest = after;
    }
    Ok((header, arrays))
}

/// Reads the header alone, and does not look at what follows.
pub fn read_header<Header: DeserializeOwned>(path: &Path) -> Result<Header> {
    let mut file = File::open(path)?;
    let mut beginning = [0; BEGINNING.len() + 8];
    file.read_exact(&mut beginning)?;
    let length = beginning.last_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mut header = Vec::new();
    file.take(length).read_to_end(&mut header)?;
    let (header, _): (Header, Vec<usize>) = serde_json::from_slice(&header).map_err(Error::other)?;
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damage_is_found() {
        let folder = std::env::temp_dir().join(format!("allotrope-durable-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.state");
        let arrays = [vec![1.5, -0.0, f32::MIN_POSITIVE], vec![], vec![7.0]];
        let rows: Vec<&[f32]> = arrays.iter().map(Vec::as_slice).collect();
        write_arrays(&path, &"header", &rows).unwrap();
        let (header, read): (String, Vec<Vec<f32>>) = read_arrays(&path).unwrap();
        assert_eq!((header.as_str(), &read[..]), ("header", &arrays[..]));
        assert_eq!(read_header::<String>(&path).unwrap(), "header");
        assert_eq!(read[0][1].to_bits(), (-0.0_f32).to_bits());
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            std::fs::write(&path, &changed).unwrap();
            assert!(read_arrays::<String>(&path).unwrap_err().to_string().contains("damaged"), "{at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(read_arrays::<String>(&path).unwrap_err().to_string().contains("damaged"), "{at}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_that_fails_leaves_the_last_good_one_and_no_piece() {
        let folder = std::env::temp_dir().join(format!("allotrope-durable-failing-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a");
        write(&path, |file| file.write_all(b"good")).unwrap();
        let failed = write(&path, |file| {
            file.write_all(b"bad")?;
            Err(Error::other("full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "full");
        assert_eq!(std::fs::read(&path).unwrap(), b"good");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
