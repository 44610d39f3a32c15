//! Sorted tables of keys and values, as LevelDB and TensorFlow write them.
//!
//! A table is a sequence of blocks, each followed by one byte that says whether it is compressed and four of a check sum. The last 48 bytes
//! say where the index block is, whose values say where the blocks with the entries are. A key is stored as what it has in common with the
//! one before, and the rest. Hostile tables cost no more than a small multiple of their size: every block is read once at most.

/// The number at the end of every table.
const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
const FOOTER: usize = 48;

/// Longer keys are refused: with what it has in common with others a long one would take little space in the file.
const LONGEST_KEY: usize = 4096;

/// No text gets smaller by more than this, because two bytes say at most that 64 are repeated.
const BEST_COMPRESSION: usize = 64;

/// Calls a function for every entry of a table, in order.
pub fn for_each(file: &[u8], mut each: impl FnMut(&[u8], &[u8]) -> Result<(), String>) -> Result<(), String> {
    let start = file.len().checked_sub(FOOTER).ok_or("it is too short for a table")?;
    let footer = &file[start..];
    if footer[FOOTER - 8..] != MAGIC.to_le_bytes() {
        return Err("it does not end as a table does: is it complete?".to_owned());
    }
    let mut handles = &footer[..FOOTER - 8];
    // The first place is that of an index of further information, which TensorFlow leaves empty.
    place(&mut handles)?;
    let index = place(&mut handles)?;
    let mut read = 0_usize;
    let mut block_at = |(start, length): (u64, u64)| -> Result<Vec<u8>, String> {
        let mut rest = usize::try_from(start).ok().and_then(|start| file.get(start..)).ok_or_else(too_early)?;
        let block = taken(&mut rest, length)?;
        read = read.saturating_add(block.len());
        if read > file.len() {
            return Err("it names a block twice".to_owned());
        }
        match taken(&mut rest, 1)? {
            [0] => Ok(block.to_vec()),
            [1] => decompressed(block),
            _ => Err("a block is compressed in an unknown way".to_owned()),
        }
    };
    let index = block_at(index)?;
    let mut places = Vec::new();
    entries(&index, |_, mut value| {
        places.push(place(&mut value)?);
        Ok(())
    })?;
    for place in places {
        entries(&block_at(place)?, &mut each)?;
    }
    Ok(())
}

/// Calls a function for every entry of a block.
fn entries(block: &[u8], mut each: impl FnMut(&[u8], &[u8]) -> Result<(), String>) -> Result<(), String> {
    // The block ends with a list of places where a key is stored whole, and its length. Whoever reads all entries needs none of them.
    let end = block.len().checked_sub(4).ok_or_else(too_early)?;
    let mut count = [0; 4];
    count.copy_from_slice(&block[end..]);
    let list = 4_usize.checked_mul(u32::from_le_bytes(count) as usize).ok_or_else(too_early)?;
    let mut rest = &block[..end.checked_sub(list).ok_or_else(too_early)?];
    let mut key: Vec<u8> = Vec::new();
    while !rest.is_empty() {
        let (shared, own, length) = (varint(&mut rest)?, varint(&mut rest)?, varint(&mut rest)?);
        let shared = usize::try_from(shared).ok().filter(|shared| *shared <= key.len());
        key.truncate(shared.ok_or("a key has more in common with the one before than there is")?);
        let own = taken(&mut rest, own)?;
        if key.len() + own.len() > LONGEST_KEY {
            return Err(format!("a key is longer than {LONGEST_KEY} bytes"));
        }
        key.extend_from_slice(own);
        each(&key, taken(&mut rest, length)?)?;
    }
    Ok(())
}

/// Where a block begins, and how long it is.
fn place(rest: &mut &[u8]) -> Result<(u64, u64), String> {
    Ok((varint(rest)?, varint(rest)?))
}

/// Takes a number of which every byte has seven bits, the lowest first.
pub fn varint(rest: &mut &[u8]) -> Result<u64, String> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = taken(rest, 1)?[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("it has a number of more than 64 bits".to_owned())
}

/// Takes this number of bytes.
pub fn taken<'b>(rest: &mut &'b [u8], count: u64) -> Result<&'b [u8], String> {
    let count = usize::try_from(count).ok().filter(|count| *count <= rest.len()).ok_or_else(too_early)?;
    let (taken, left) = rest.split_at(count);
    *rest = left;
    Ok(taken)
}

fn too_early() -> String {
    "it ends too early: is it complete?".to_owned()
}

/// Decompresses what Snappy made: pieces of text, and repetitions of what was there before.
fn decompressed(mut rest: &[u8]) -> Result<Vec<u8>, String> {
    let most = rest.len().saturating_mul(BEST_COMPRESSION);
    let length = usize::try_from(varint(&mut rest)?).ok().filter(|length| *length <= most);
    let length = length.ok_or("a compressed block is larger than it can be")?;
    let mut text: Vec<u8> = Vec::with_capacity(length);
    while !rest.is_empty() {
        let tag = taken(&mut rest, 1)?[0];
        let high = usize::from(tag >> 2);
        let mut number = |bytes: usize| -> Result<usize, String> {
            let bytes = taken(&mut rest, bytes as u64)?;
            Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
        };
        let (count, back) = match tag & 3 {
            0 => {
                let count = if high < 60 { high } else { number(high - 59)? };
                (count + 1, None)
            }
            1 => (4 + (high & 7), Some(usize::from(tag >> 5) << 8 | number(1)?)),
            2 => (high + 1, Some(number(2)?)),
            _ => (high + 1, Some(number(4)?)),
        };
        if text.len() + count > length {
            return Err("a compressed block is longer than it says".to_owned());
        }
        match back {
            None => text.extend_from_slice(taken(&mut rest, count as u64)?),
            Some(back) => {
                let start = text.len().checked_sub(back).filter(|_| back > 0);
                let start = start.ok_or("a compressed block repeats what is not there")?;
                // What is repeated may reach into what it makes.
                for place in start..start + count {
                    text.push(text[place]);
                }
            }
        }
    }
    match text.len() == length {
        true => Ok(text),
        false => Err("a compressed block is shorter than it says".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: usize) -> Vec<u8> {
        assert!(number < 1 << 14);
        if number < 128 { vec![number as u8] } else { vec![number as u8 | 0x80, (number >> 7) as u8] }
    }

    /// A block of entries, each with what its key has in common with the one before.
    fn block(entries: &[(usize, &str, &[u8])]) -> Vec<u8> {
        let mut block = Vec::new();
        for (shared, own, value) in entries {
            block.extend([number(*shared), number(own.len()), number(value.len())].concat());
            block.extend([own.as_bytes(), value].concat());
        }
        block.extend([0, 0, 0, 0, 1, 0, 0, 0]);
        block
    }

    /// A table of one block, which is stored with this byte for its compression.
    fn table(stored: &[u8], compression: u8, places: &[(usize, usize)]) -> Vec<u8> {
        let mut file = stored.to_vec();
        file.extend([compression, 0, 0, 0, 0]);
        let places: Vec<Vec<u8>> = places.iter().map(|place| [number(place.0), number(place.1)].concat()).collect();
        let entries: Vec<(usize, &str, &[u8])> = places.iter().map(|place| (0, "z", &place[..])).collect();
        let index = block(&entries);
        let at = file.len();
        file.extend_from_slice(&index);
        file.extend([0; 5]);
        let mut footer = [number(0), number(0), number(at), number(index.len())].concat();
        footer.resize(FOOTER - 8, 0);
        file.extend(footer);
        file.extend(MAGIC.to_le_bytes());
        file
    }

    fn read(file: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
        let mut found = Vec::new();
        for_each(file, |key, value| {
            found.push((String::from_utf8_lossy(key).into_owned(), value.to_vec()));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn keys_share_what_they_begin_with() {
        let stored = block(&[(0, "", &[7]), (0, "model/a", &[1, 2]), (6, "bc", &[])]);
        let found = read(&table(&stored, 0, &[(0, stored.len())])).unwrap();
        let expected = [("", vec![7]), ("model/a", vec![1, 2]), ("model/bc", vec![])];
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value)));
    }

    #[test]
    fn compressed_blocks_are_read() {
        // A piece of 12 bytes, and 8 bytes from 4 before the end, which repeats the last four.
        let stored = [&[20, 11 << 2][..], b"Wikipediaped", &[(8 - 4) << 2 | 1, 4]].concat();
        assert_eq!(decompressed(&stored).unwrap(), b"Wikipediapedapedaped");
        // The other two ways to write the same repetition, and a long piece.
        for tail in [&[7 << 2 | 2, 4, 0][..], &[7 << 2 | 3, 4, 0, 0, 0]] {
            let stored = [&[20, 60 << 2, 11], &b"Wikipediaped"[..], tail].concat();
            assert_eq!(decompressed(&stored).unwrap(), b"Wikipediapedapedaped");
        }
        let plain = block(&[(0, "key", b"value")]);
        let packed = [&[plain.len() as u8, (plain.len() as u8 - 1) << 2][..], &plain].concat();
        assert_eq!(read(&table(&packed, 1, &[(0, packed.len())])).unwrap(), [("key".to_owned(), b"value".to_vec())]);
    }

    #[test]
    fn hostile_tables_are_refused() {
        let stored = block(&[(0, "key", b"value")]);
        let place = (0, stored.len());
        for (file, problem) in [
            (table(&stored, 0, &vec![place; 50]), "names a block twice"),
            (table(&stored, 2, &[place]), "compressed in an unknown way"),
            (table(&stored, 0, &[(9000, 5)]), "ends too early"),
            (table(&block(&[(3, "key", b"")]), 0, &[(0, 14)]), "more in common"),
            (table(&block(&[(0, &"k".repeat(5000), b"")]), 0, &[(0, 5013)]), "longer than 4096"),
            (b"short".to_vec(), "too short"),
            (vec![0; 100], "does not end as a table does"),
        ] {
            let found = read(&file).unwrap_err();
            assert!(found.contains(problem), "{found} is not about: {problem}");
        }
        for (stored, problem) in [
            (&[0xff, 0xff, 0x7f, 0][..], "larger than it can be"),
            (&[5, 0, b'a', 1, 2], "repeats what is not there"),
            (&[5, 0, b'a', 1, 0], "repeats what is not there"),
            (&[2, 0, b'a'], "shorter than it says"),
            (&[1, 1 << 2, b'a', b'b'], "longer than it says"),
            (&[9, 8 << 2, b'a'], "ends too early"),
        ] {
            let found = decompressed(stored).unwrap_err();
            assert!(found.contains(problem), "{found} is not about: {problem}");
        }
    }
}
