//! Reading whole files with a size limit, also devices and pipes.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The maximum size of a text.
pub const LARGEST_TEXT: u64 = 256 << 20;

/// Reads a file of at most `most` bytes; of a device or pipe, at most [`LARGEST_TEXT`] bytes.
pub fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    let most = if about.is_file() { most } else { most.min(LARGEST_TEXT) };
    let size = about.len();
    if size > most {
        return Err(too_large("it", most));
    }
    let mut bytes = Vec::with_capacity(size as usize);
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large("it", most)) } else { Ok(bytes) }
}

/// The error for a file, or a part of it, that exceeds its maximum size.
pub fn too_large(what: &str, most: u64) -> Error {
    let limit = if most >= 1 << 20 { format!("{} MB", most >> 20) } else { format!("{most} bytes") };
    Error::new(ErrorKind::FileTooLarge, format!("{what} is larger than {limit}"))
}

/// Reads a text file without its byte-order mark.
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
