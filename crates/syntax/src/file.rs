//! Reading a whole file that may be anything: a link to a device, or far too large.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// A text is read up to this size; what is larger was not written by people.
pub const LARGEST_TEXT: u64 = 256 << 20;

/// Reads a whole file of at most so many bytes. A device or a pipe, which has no size, is read up to the size of a text at most.
pub fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    let most = if about.is_file() { most } else { most.min(LARGEST_TEXT) };
    let too_large = || {
        let limit = if most >= 1 << 20 { format!("{} MB", most >> 20) } else { format!("{most} bytes") };
        Error::new(ErrorKind::FileTooLarge, format!("it is larger than {limit}"))
    };
    let size = about.len();
    if size > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(size as usize);
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Reads a whole text.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = read_up_to(path, LARGEST_TEXT)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8"))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_or_endless_is_refused() {
        let path = std::env::temp_dir().join(format!("allotrope-file-{}", std::process::id()));
        std::fs::write(&path, "\u{feff}abc").unwrap();
        assert_eq!(read_up_to(&path, 6).unwrap().len(), 6);
        assert_eq!(read_up_to(&path, 5).unwrap_err().to_string(), "it is larger than 5 bytes");
        assert_eq!(read_text(&path).unwrap(), "abc");
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert_eq!(read_up_to(&path, 3 << 20).unwrap_err().to_string(), "it is larger than 3 MB");
        assert!(read_up_to(Path::new("/dev/null"), 10).unwrap().is_empty());
        assert!(read_up_to(&std::env::temp_dir(), 10).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
