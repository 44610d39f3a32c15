//! Gzip files that all cores compress at once.
//!
//! A text is compressed in pieces, which end at a byte, so that they can stand one after the other in one stream. The pieces are what the
//! caller says and not what the number of threads is, so the same text always has the same bytes.

use std::io::{Result, Write};
use std::path::Path;

use flate2::{Compress, Compression, Crc, FlushCompress};
use rayon::prelude::*;

use crate::complete_file::CompleteFile;

/// A header without a name and a time, from an unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// A last block with nothing in it: those before are not marked as the last.
const END: [u8; 2] = [3, 0];

/// Writes the texts of pieces as one compressed file.
pub fn write_packed<Piece: Sync>(path: &Path, pieces: &[Piece], text: impl Fn(&Piece) -> Vec<u8> + Sync) -> Result<()> {
    let mut file = CompleteFile::create(path)?;
    file.write_all(&HEADER)?;
    let mut sum = Crc::new();
    // A piece is done in some milliseconds, so that these are enough for all cores; and few wait in memory to be written.
    for some in pieces.chunks(64) {
        let packed: Vec<(Vec<u8>, Crc)> = some.par_iter().map(|piece| packed(&text(piece))).collect::<Result<_>>()?;
        for (bytes, own) in packed {
            file.write_all(&bytes)?;
            sum.combine(&own);
        }
    }
    file.write_all(&END)?;
    file.write_all(&sum.sum().to_le_bytes())?;
    file.write_all(&sum.amount().to_le_bytes())?;
    file.finish()
}

fn packed(text: &[u8]) -> Result<(Vec<u8>, Crc)> {
    let mut sum = Crc::new();
    sum.update(text);
    let mut compress = Compress::new(Compression::default(), false);
    let mut bytes = Vec::with_capacity(text.len() / 2);
    loop {
        bytes.reserve(1 << 15);
        let rest = &text[compress.total_in() as usize..];
        compress.compress_vec(rest, &mut bytes, FlushCompress::Sync)?;
        // Only what leaves room has brought all of it out. The encoders of the library ask for the rest in another way, which some of its backends take for
        // the end of the flush.
        if compress.total_in() as usize == text.len() && bytes.len() < bytes.capacity() {
            return Ok((bytes, sum));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn pieces_are_one_stream() {
        let path = std::env::temp_dir().join(format!("allotrope-packed-{}.gz", std::process::id()));
        for count in [0, 1, 2, 200] {
            let pieces: Vec<usize> = (0..count).collect();
            let text = |piece: &usize| format!("{piece} and again {piece}\n").repeat(piece % 70).into_bytes();
            write_packed(&path, &pieces, text).unwrap();
            let mut read = Vec::new();
            // This reader stops after the first stream, and compares the sum.
            GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_end(&mut read).unwrap();
            assert_eq!(read, pieces.iter().flat_map(text).collect::<Vec<u8>>(), "{count} pieces");
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn pieces_of_any_size_come_out_whole() {
        // Letters in no order, of which some sizes fill a buffer exactly.
        let mut random = random::Random::new(1);
        let text: Vec<u8> = (0..400_000).map(|_| b'a' + random.below(26) as u8).collect();
        for length in (0..text.len()).step_by(1_009) {
            let (bytes, _) = packed(&text[..length]).unwrap();
            let mut read = Vec::new();
            let stream = [bytes.as_slice(), &END].concat();
            flate2::read::DeflateDecoder::new(stream.as_slice()).read_to_end(&mut read).unwrap();
            assert!(read == text[..length], "{length} bytes");
        }
    }
}
