//! Dictionaries of words as Python's `pickle` writes them: words with numbers, numbers with words.
//!
//! A pickle is a small program that may call anything. This reader knows the instructions that a dictionary of texts and whole numbers
//! needs, calls nothing, and refuses the rest. Several pickles may stand one after the other in a file.

use std::collections::HashMap;
use std::rc::Rc;

/// What a pickle says.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(i64),
    Text(Rc<str>),
    /// Keys and values in their order.
    Dictionary(Vec<(Value, Value)>),
}

/// What is on the stack.
enum Item {
    Value(Value),
    Mark,
}

/// Reads the next pickle, and leaves what follows it.
pub fn next(rest: &mut &[u8]) -> Result<Value, String> {
    let mut stack: Vec<Item> = Vec::new();
    // Only texts and numbers are recalled: a dictionary contains no other.
    let mut memory: HashMap<usize, Value> = HashMap::new();
    loop {
        let instruction = taken(rest, 1)?[0];
        match instruction {
            // PROTO and FRAME.
            0x80 => _ = taken(rest, 1)?,
            0x95 => _ = taken(rest, 8)?,
            // BININT, BININT1, BININT2, LONG1.
            b'J' => stack.push(Item::Value(Value::Number(signed(taken(rest, 4)?)))),
            b'K' => stack.push(Item::Value(Value::Number(number::<u8>(rest, 1)?.into()))),
            b'M' => stack.push(Item::Value(Value::Number(number::<u16>(rest, 2)?.into()))),
            0x8a => {
                let size: u64 = number(rest, 1)?;
                let bytes = taken(rest, size)?;
                if bytes.len() > 8 {
                    return Err("a number has more than 64 bits".to_owned());
                }
                stack.push(Item::Value(Value::Number(signed(bytes))));
            }
            // BINUNICODE, SHORT_BINUNICODE, BINUNICODE8.
            b'X' | 0x8c | 0x8d => {
                let size = match instruction {
                    b'X' => 4,
                    0x8c => 1,
                    _ => 8,
                };
                let length = number(rest, size)?;
                let text = String::from_utf8_lossy(taken(rest, length)?);
                stack.push(Item::Value(Value::Text(text.into())));
            }
            // EMPTY_DICT, MARK.
            b'}' => stack.push(Item::Value(Value::Dictionary(Vec::new()))),
            b'(' => stack.push(Item::Mark),
            // BINPUT, LONG_BINPUT, MEMOIZE.
            b'q' | b'r' | 0x94 => {
                let place = match instruction {
                    b'q' => number(rest, 1)?,
                    b'r' => number(rest, 4)?,
                    _ => memory.len(),
                };
                match stack.last() {
                    Some(Item::Value(Value::Dictionary(_))) => memory.insert(place, Value::Number(0)),
                    Some(Item::Value(value)) => memory.insert(place, value.clone()),
                    Some(Item::Mark) | None => return Err(empty()),
                };
            }
            // BINGET, LONG_BINGET.
            b'h' | b'j' => {
                let place = number(rest, if instruction == b'h' { 1 } else { 4 })?;
                let value = memory.get(&place).ok_or("it recalls what it never stored")?;
                stack.push(Item::Value(value.clone()));
            }
            // SETITEM, SETITEMS.
            b's' => {
                let start = stack.len().checked_sub(2).ok_or_else(empty)?;
                let items = stack.split_off(start);
                set(&mut stack, items)?;
            }
            b'u' => {
                let mark = stack.iter().rposition(|item| matches!(item, Item::Mark)).ok_or_else(empty)?;
                let items = stack.split_off(mark + 1);
                stack.pop();
                set(&mut stack, items)?;
            }
            // STOP.
            b'.' => {
                return match stack.pop() {
                    Some(Item::Value(value)) => Ok(value),
                    Some(Item::Mark) | None => Err(empty()),
                };
            }
            other => {
                return Err(format!("it has the instruction {other:#04x}, which a dictionary of words does not need"));
            }
        }
    }
}

/// Adds keys and values to the dictionary on top.
fn set(stack: &mut [Item], items: Vec<Item>) -> Result<(), String> {
    let Some(Item::Value(Value::Dictionary(dictionary))) = stack.last_mut() else { return Err(empty()) };
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        let (Item::Value(key), Item::Value(value)) = (key, value) else { return Err(empty()) };
        if matches!(key, Value::Dictionary(_)) || matches!(value, Value::Dictionary(_)) {
            return Err("it has a dictionary in a dictionary".to_owned());
        }
        dictionary.push((key, value));
    }
    Ok(())
}

fn empty() -> String {
    "it takes more than it put".to_owned()
}

fn taken<'b>(rest: &mut &'b [u8], count: u64) -> Result<&'b [u8], String> {
    let count = usize::try_from(count).ok().filter(|count| *count <= rest.len());
    let (taken, left) = rest.split_at(count.ok_or("it ends too early: is it complete?")?);
    *rest = left;
    Ok(taken)
}

fn number<Number: TryFrom<u64>>(rest: &mut &[u8], size: u64) -> Result<Number, String> {
    let number = taken(rest, size)?.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    Number::try_from(number).map_err(|_| "it holds a number that is too large".to_owned())
}

/// A number of up to eight bytes, of which the highest says the sign.
fn signed(bytes: &[u8]) -> i64 {
    let is_negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
    let mut all = [if is_negative { 0xff } else { 0 }; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    /// What Python 3.11 writes for `{"a": 1, "über": 300, "c": 70000, "d": -2}` and `{1: "a"}`, by its protocols 3 and 4.
    const THIRD: &[u8] = b"\x80\x03}q\x00(X\x01\x00\x00\x00aq\x01K\x01X\x05\x00\x00\x00\xc3\xbcberq\x02M,\x01X\x01\x00\x00\x00cq\x03Jp\x11\x01\x00X\x01\x00\x00\x00dq\x04J\xfe\xff\xff\xffu.\x80\x03}q\x00K\x01X\x01\x00\x00\x00aq\x01s.";
    const FOURTH: &[u8] = b"\x80\x04\x95(\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94K\x01\x8c\x05\xc3\xbcber\x94M,\x01\x8c\x01c\x94Jp\x11\x01\x00\x8c\x01d\x94J\xfe\xff\xff\xffu.\x80\x04\x95\n\x00\x00\x00\x00\x00\x00\x00}\x94K\x01\x8c\x01a\x94s.";

    #[test]
    fn dictionaries_stand_one_after_the_other() {
        for mut rest in [THIRD, FOURTH] {
            let expected = [("a", 1), ("über", 300), ("c", 70_000), ("d", -2)];
            let expected = expected.map(|(word, number)| (text(word), Value::Number(number))).to_vec();
            assert_eq!(next(&mut rest).unwrap(), Value::Dictionary(expected));
            assert_eq!(next(&mut rest).unwrap(), Value::Dictionary(vec![(Value::Number(1), text("a"))]));
            assert!(rest.is_empty() && next(&mut rest).is_err());
        }
        // A number alone, one with more bytes, and a text that is recalled.
        assert_eq!(next(&mut &b"\x80\x03M\xe8\x03."[..]), Ok(Value::Number(1000)));
        assert_eq!(next(&mut &b"\x8a\x05\x00\x00\x00\x00\x01."[..]), Ok(Value::Number(1 << 32)));
        let recalled = next(&mut &b"}(X\x01\x00\x00\x00aq\x00h\x00u."[..]);
        assert_eq!(recalled, Ok(Value::Dictionary(vec![(text("a"), text("a"))])));
    }

    #[test]
    fn what_is_cut_hostile_or_no_dictionary_is_refused() {
        for length in 0..THIRD.len() / 2 {
            assert!(next(&mut &THIRD[..length]).is_err(), "{length}");
        }
        for at in 0..FOURTH.len() {
            for byte in 0..=255 {
                let mut broken = FOURTH.to_vec();
                broken[at] = byte;
                drop(next(&mut &broken[..]));
            }
        }
        for (pickle, problem) in [
            (&b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."[..], "the instruction 0x63"),
            (b"h\x07.", "never stored"),
            (b"u.", "takes more than it put"),
            (b"(.", "takes more than it put"),
            (b"K\x01K\x02K\x03s.", "takes more than it put"),
            (b"}K\x01}s.", "a dictionary in a dictionary"),
            (b"X\xff\xff\xff\xffa.", "ends too early"),
            (b"\x8d\xff\xff\xff\xff\xff\xff\xff\xffa.", "ends too early"),
            (b"\x8a\x09123456789.", "more than 64 bits"),
        ] {
            let found = next(&mut &pickle[..]).unwrap_err();
            assert!(found.contains(problem), "{found} is not about: {problem}");
        }
    }
}
