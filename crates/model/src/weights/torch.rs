//! PyTorch's own files since 1.6: a zip archive with a pickle that says which arrays there are, and a file with the numbers of each.
//!
//! A pickle is a small program that may call anything. This reader knows the few instructions that `torch.save` writes for
//! a dictionary of tensors, calls nothing, and refuses the rest. Its memory is bounded by a small multiple of the file size: values
//! are shared as in the pickle, and deep nesting is refused.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::array::{Array, NumberKind};

/// Reads the named arrays of a file.
pub(super) fn read(file: Vec<u8>) -> Result<HashMap<String, Array>, String> {
    let file = Arc::new(file);
    let entries = entries(&file)?;
    let pickle = entries.iter().find(|(name, _)| name.ends_with("data.pkl"));
    let (name, place) = pickle.ok_or("it holds no `data.pkl`")?;
    let folder = name.strip_suffix("data.pkl").unwrap_or_default();
    let value = Machine::run(&file[place.start..place.start + place.length])?;
    let Value::Dictionary(items) = value else { return Err("its pickle is not a dictionary of tensors".to_owned()) };
    let mut arrays = HashMap::new();
    for (key, value) in items {
        let (Value::Text(key), Value::Tensor(tensor)) = (key, value) else { continue };
        let place = entries.get(&format!("{folder}data/{}", tensor.storage));
        let place = place.ok_or_else(|| format!("it lacks the numbers of `{key}`"))?;
        let array = tensor.array(&file, place).map_err(|problem| format!("`{key}`: {problem}"))?;
        arrays.insert(key.to_string(), array);
    }
    match arrays.is_empty() {
        true => Err("its dictionary holds no tensors".to_owned()),
        false => Ok(arrays),
    }
}

/// Where the bytes of an entry of an archive are.
struct Place {
    start: usize,
    length: usize,
}

/// The entries of a zip archive whose bytes are stored as they are.
fn entries(file: &[u8]) -> Result<HashMap<String, Place>, String> {
    const END: &[u8] = b"PK\x05\x06";
    const END_64: &[u8] = b"PK\x06\x06";
    let no_archive = || "it is not a zip archive".to_owned();
    // The record at the end may be followed by a comment of up to 65,535 bytes.
    let tail = file.len().saturating_sub(22 + 65_535);
    let end = file[tail..].windows(4).rposition(|bytes| bytes == END).map(|at| tail + at).ok_or_else(no_archive)?;
    let mut directory = number(file, end + 16, 4)?;
    let mut count = number(file, end + 10, 2)?;
    if directory == 0xffff_ffff || count == 0xffff {
        // The locator, 20 bytes before, says where the record with wide numbers is.
        let wide = number(file, end.checked_sub(20).ok_or_else(no_archive)? + 8, 8)?;
        if file.get(wide..wide.saturating_add(4)) != Some(END_64) {
            return Err(no_archive());
        }
        count = number(file, wide + 32, 8)?;
        directory = number(file, wide + 48, 8)?;
    }
    let mut entries = HashMap::new();
    let mut at = directory;
    for _ in 0..count {
        if file.get(at..at.saturating_add(4)) != Some(b"PK\x01\x02") {
            return Err("its list of entries is broken".to_owned());
        }
        let (name_length, extra_length, comment_length) =
            (number(file, at + 28, 2)?, number(file, at + 30, 2)?, number(file, at + 32, 2)?);
        let name = slice(file, at + 46, name_length)?;
        let mut length = number(file, at + 20, 4)?;
        let mut header = number(file, at + 42, 4)?;
        let original_length = number(file, at + 24, 4)?;
        let extra = slice(file, at + 46 + name_length, extra_length)?;
        // Numbers that do not fit into four bytes stand in the extra field 1, in this order.
        let mut wide = wide_numbers(extra);
        if original_length == 0xffff_ffff {
            wide.next();
        }
        if length == 0xffff_ffff {
            length = wide.next().ok_or("an entry has no length")?;
        }
        if header == 0xffff_ffff {
            header = wide.next().ok_or("an entry has no place")?;
        }
        let name = String::from_utf8_lossy(name).into_owned();
        if number(file, at + 10, 2)? != 0 {
            return Err(format!("its entry `{name}` is compressed, which PyTorch never does"));
        }
        // The entry's own header says how long its name and its padding are.
        let start = header
            .checked_add(30 + number(file, header.saturating_add(26), 2)? + number(file, header.saturating_add(28), 2)?)
            .ok_or("an entry has no place")?;
        slice(file, start, length)?;
        entries.insert(name, Place { start, length });
        at += 46 + name_length + extra_length + comment_length;
    }
    Ok(entries)
}

/// The numbers of the extra field that holds what needs eight bytes.
fn wide_numbers(mut extra: &[u8]) -> impl Iterator<Item = usize> {
    let mut numbers = Vec::new();
    while let (Ok(id), Ok(length)) = (number(extra, 0, 2), number(extra, 2, 2)) {
        let Some(field) = extra.get(4..4 + length) else { break };
        if id == 1 {
            numbers = field.chunks_exact(8).filter_map(|bytes| number(bytes, 0, 8).ok()).collect();
        }
        extra = &extra[4 + length..];
    }
    numbers.into_iter()
}

fn slice(bytes: &[u8], start: usize, length: usize) -> Result<&[u8], String> {
    let end = start.checked_add(length);
    end.and_then(|end| bytes.get(start..end)).ok_or_else(|| "it ends too early: is it complete?".to_owned())
}

fn number(bytes: &[u8], start: usize, size: usize) -> Result<usize, String> {
    let bytes = slice(bytes, start, size)?;
    let number = bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    usize::try_from(number).map_err(|_| "it holds a number that is too large".to_owned())
}

/// The maximum nesting of tuples. Weights need three levels: storage, tensor, parameter.
const DEEPEST: usize = 8;

/// A value of a pickle. Clones share their contents.
#[derive(Clone)]
enum Value {
    Nothing,
    Number(usize),
    Text(Rc<str>),
    /// A function or class by its module and name.
    Global(Rc<str>),
    /// The items, and the nesting depth.
    Tuple(Rc<[Value]>, usize),
    Dictionary(Vec<(Value, Value)>),
    Storage {
        key: Rc<str>,
        kind: NumberKind,
    },
    Tensor(Rc<Tensor>),
    /// Something that weights do not need.
    Other,
    Mark,
}

struct Tensor {
    storage: Rc<str>,
    kind: NumberKind,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl Tensor {
    fn array(&self, file: &Arc<Vec<u8>>, place: &Place) -> Result<Array, String> {
        let start = self.offset.checked_mul(self.kind.size()).and_then(|offset| offset.checked_add(place.start));
        let (start, end) = (start.ok_or("it begins nowhere")?, place.start + place.length);
        Array::with_strides(Arc::clone(file), start..end, self.kind, self.shape.clone(), self.strides.clone())
    }
}

/// The machine that a pickle is written for: a stack, and what is remembered by numbers.
#[derive(Default)]
struct Machine {
    stack: Vec<Value>,
    memory: HashMap<usize, Value>,
}

impl Machine {
    fn run(pickle: &[u8]) -> Result<Value, String> {
        let mut machine = Machine::default();
        let mut at = 0;
        loop {
            let instruction = slice(pickle, at, 1)?[0];
            at += 1;
            let mut operand = |size: usize| -> Result<usize, String> {
                at += size;
                number(pickle, at - size, size)
            };
            match instruction {
                // PROTO, and FRAME.
                0x80 => drop(operand(1)?),
                0x95 => drop(operand(8)?),
                // BININT, BININT1, BININT2, LONG1: negative numbers describe no tensor.
                b'J' => {
                    let number = operand(4)?;
                    machine.push(if number < 1 << 31 { Value::Number(number) } else { Value::Other })
                }
                b'K' => machine.push(Value::Number(operand(1)?)),
                b'M' => machine.push(Value::Number(operand(2)?)),
                0x8a => {
                    let size = operand(1)?;
                    machine.push(if size <= 8 { Value::Number(operand(size)?) } else { Value::Other })
                }
                // BINFLOAT.
                b'G' => {
                    operand(8)?;
                    machine.push(Value::Other)
                }
                // NONE, NEWTRUE, NEWFALSE.
                b'N' | 0x88 | 0x89 => machine.push(Value::Nothing),
                // BINUNICODE, SHORT_BINUNICODE, SHORT_BINSTRING.
                b'X' | 0x8c | b'U' => {
                    let length = operand(if instruction == b'X' { 4 } else { 1 })?;
                    let text = slice(pickle, at, length)?;
                    at += length;
                    machine.push(Value::Text(String::from_utf8_lossy(text).into()))
                }
                // GLOBAL: two lines.
                b'c' => {
                    let mut line = || -> Result<String, String> {
                        let rest = pickle.get(at..).unwrap_or_default();
                        let length = rest.iter().position(|byte| *byte == b'\n').ok_or("its pickle is cut off")?;
                        at += length + 1;
                        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
                    };
                    let (module, name) = (line()?, line()?);
                    machine.push(Value::Global(format!("{module}.{name}").into()))
                }
                // STACK_GLOBAL.
                0x93 => {
                    let (name, module) = (machine.pop()?, machine.pop()?);
                    let (Value::Text(module), Value::Text(name)) = (module, name) else { return Err(unknown(0x93)) };
                    machine.push(Value::Global(format!("{module}.{name}").into()))
                }
                // MARK, EMPTY_TUPLE, EMPTY_DICT, EMPTY_LIST.
                b'(' => machine.push(Value::Mark),
                b')' => machine.push(tuple(Vec::new())?),
                b'}' => machine.push(Value::Dictionary(Vec::new())),
                b']' => machine.push(Value::Other),
                // TUPLE, TUPLE1 to TUPLE3.
                b't' => {
                    let items = machine.pop_to_mark()?;
                    machine.push(tuple(items)?)
                }
                0x85..=0x87 => {
                    let count = usize::from(instruction - 0x84);
                    let start = machine.stack.len().checked_sub(count).ok_or_else(empty)?;
                    let items = machine.stack.split_off(start);
                    machine.push(tuple(items)?)
                }
                // BINPUT, LONG_BINPUT, MEMOIZE.
                b'q' => machine.remember(operand(1)?)?,
                b'r' => machine.remember(operand(4)?)?,
                0x94 => machine.remember(machine.memory.len())?,
                // BINGET, LONG_BINGET.
                b'h' => machine.recall(operand(1)?)?,
                b'j' => machine.recall(operand(4)?)?,
                // BINPERSID: the numbers of a tensor.
                b'Q' => {
                    let id = machine.pop()?;
                    machine.push(storage(&id)?)
                }
                // REDUCE: a call.
                b'R' => {
                    let (arguments, function) = (machine.pop()?, machine.pop()?);
                    machine.push(call(&function, arguments)?)
                }
                // BUILD: attributes, such as the versions of a state dictionary.
                b'b' => drop(machine.pop()?),
                // SETITEM, SETITEMS; APPEND, APPENDS to lists that nobody reads.
                b's' => {
                    let (value, key) = (machine.pop()?, machine.pop()?);
                    machine.set(vec![key, value])?
                }
                b'u' => {
                    let items = machine.pop_to_mark()?;
                    machine.set(items)?
                }
                b'a' => drop(machine.pop()?),
                b'e' => drop(machine.pop_to_mark()?),
                // STOP.
                b'.' => return machine.pop(),
                other => return Err(unknown(other)),
            }
        }
    }

    fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    fn pop(&mut self) -> Result<Value, String> {
        self.stack.pop().ok_or_else(empty)
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Value>, String> {
        let mark = self.stack.iter().rposition(|value| matches!(value, Value::Mark)).ok_or_else(empty)?;
        let items = self.stack.split_off(mark + 1);
        self.stack.pop();
        Ok(items)
    }

    /// Dictionaries are remembered while they are empty and never recalled, so a copy of what is remembered will do.
    fn remember(&mut self, number: usize) -> Result<(), String> {
        let value = self.stack.last().ok_or_else(empty)?;
        let is_large = matches!(value, Value::Dictionary(items) if !items.is_empty());
        self.memory.insert(number, if is_large { Value::Other } else { value.clone() });
        Ok(())
    }

    fn recall(&mut self, number: usize) -> Result<(), String> {
        let value = self.memory.get(&number).cloned();
        self.push(value.ok_or("its pickle recalls what it never stored")?);
        Ok(())
    }

    /// Adds keys and values to the dictionary on top.
    fn set(&mut self, items: Vec<Value>) -> Result<(), String> {
        let mut items = items.into_iter();
        let Some(Value::Dictionary(dictionary)) = self.stack.last_mut() else { return Ok(()) };
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            // Nested dictionaries contain no tensors that we need.
            let is_nested = matches!(value, Value::Dictionary(_));
            dictionary.push((key, if is_nested { Value::Other } else { value }));
        }
        Ok(())
    }
}

fn empty() -> String {
    "its pickle takes more than it put".to_owned()
}

fn unknown(instruction: u8) -> String {
    format!(
        "its pickle has the instruction {instruction:#04x}, which weights do not need: save a state dictionary, or as safetensors"
    )
}

/// Makes a tuple, or fails if it is nested too deeply.
fn tuple(items: Vec<Value>) -> Result<Value, String> {
    let depth = |item: &Value| if let Value::Tuple(_, depth) = item { depth + 1 } else { 1 };
    let depth = items.iter().map(depth).max().unwrap_or(1);
    if depth > DEEPEST {
        return Err("its pickle nests tuples deeply, which weights do not need".to_owned());
    }
    let flat = |item| if let Value::Dictionary(_) = item { Value::Other } else { item };
    Ok(Value::Tuple(items.into_iter().map(flat).collect(), depth))
}

/// What `('storage', torch.FloatStorage, '0', 'cpu', 12)` means.
fn storage(id: &Value) -> Result<Value, String> {
    let Value::Tuple(parts, _) = id else {
        return Err("its pickle refers to something that is not a storage".to_owned());
    };
    let [Value::Text(_), Value::Global(class), Value::Text(key), ..] = &parts[..] else {
        return Err("its pickle refers to something that is not a storage".to_owned());
    };
    let kind = match class.rsplit('.').next().unwrap_or_default() {
        "DoubleStorage" => NumberKind::F64,
        "FloatStorage" => NumberKind::F32,
        "HalfStorage" => NumberKind::F16,
        "BFloat16Storage" => NumberKind::Bf16,
        "LongStorage" => NumberKind::I64,
        "IntStorage" => NumberKind::I32,
        "ShortStorage" => NumberKind::I16,
        "CharStorage" => NumberKind::I8,
        "ByteStorage" | "BoolStorage" => NumberKind::U8,
        other => return Err(format!("its numbers are a {other}, which is not known")),
    };
    Ok(Value::Storage { key: key.clone(), kind })
}

/// What a call of one of the few functions that weights need gives.
fn call(function: &Value, arguments: Value) -> Result<Value, String> {
    let (Value::Global(name), Value::Tuple(arguments, _)) = (function, arguments) else {
        return Err("its pickle calls something that is not a function".to_owned());
    };
    match &**name {
        "collections.OrderedDict" => Ok(Value::Dictionary(Vec::new())),
        "torch._utils._rebuild_parameter" if !arguments.is_empty() => Ok(arguments[0].clone()),
        "torch._utils._rebuild_tensor_v2" => {
            let numbers = |value: &Value| match value {
                Value::Tuple(items, _) => {
                    items.iter().map(|item| if let Value::Number(n) = item { Some(*n) } else { None }).collect()
                }
                _ => None,
            };
            match &arguments[..] {
                [Value::Storage { key, kind }, Value::Number(offset), shape, strides, ..] => {
                    let (shape, strides): (Option<Vec<usize>>, Option<Vec<usize>>) = (numbers(shape), numbers(strides));
                    let (Some(shape), Some(strides)) = (shape, strides) else {
                        return Err("a tensor has no shape".to_owned());
                    };
                    let storage = Rc::clone(key);
                    Ok(Value::Tensor(Rc::new(Tensor { storage, kind: *kind, offset: *offset, shape, strides })))
                }
                _ => Err("a tensor is described in an unknown way".to_owned()),
            }
        }
        other => Err(format!(
            "its pickle calls `{other}`, which weights do not need: save a state dictionary, or as safetensors"
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn fixture() -> Vec<u8> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity/roberta-two");
        std::fs::read(folder.join("pytorch_model.bin")).unwrap()
    }

    #[test]
    fn a_state_dictionary_is_read() {
        let arrays = read(fixture()).unwrap();
        let words = arrays.iter().find(|(name, _)| name.ends_with("word_embeddings.weight")).unwrap().1;
        assert_eq!(words.shape().len(), 2);
        assert_eq!(words.numbers().len(), words.shape().iter().product::<usize>());
        assert!(arrays.values().all(|array| array.numbers().iter().all(|number| number.is_finite())));
    }

    #[test]
    fn a_file_that_is_cut_or_changed_is_refused_and_never_a_panic() {
        let whole = fixture();
        for length in (0..whole.len()).step_by(whole.len() / 200) {
            assert!(read(whole[..length].to_vec()).is_err(), "{length}");
        }
        let begin = whole.windows(2).position(|bytes| bytes == [0x80, 2]).unwrap();
        for at in (begin..begin + 3000).chain(whole.len() - 2000..whole.len()) {
            for byte in [0, 0x28, 0x52, 0xff] {
                let mut broken = whole.clone();
                broken[at] = byte;
                drop(read(broken));
            }
        }
    }

    /// Repeatedly doubled and deeply nested tuples do not exhaust memory or the stack.
    #[test]
    fn shared_and_nested_tuples_do_not_explode() {
        let mut shared = b"\x80\x02)q\x00".to_vec();
        for _ in 0..200 {
            shared.extend(b"h\x00h\x00\x86q\x00");
        }
        shared.push(b'.');
        let nested: Vec<u8> = b")".iter().chain([0x85; 2_000_000].iter()).chain(b".").copied().collect();
        let mut nested_dictionaries = b"}K\x01".repeat(500_000);
        nested_dictionaries.extend(b"s".repeat(499_999));
        nested_dictionaries.push(b'.');
        for pickle in [shared, nested, nested_dictionaries] {
            drop(Machine::run(&pickle));
        }
        // A long text that is recalled a million times is stored once.
        let mut texts = b"\x80\x02X\x00\x00\x10\x00".to_vec();
        texts.extend(vec![b'x'; 1 << 20]);
        texts.extend(b"q\x00");
        texts.extend(b"h\x00".repeat(1_000_000));
        texts.push(b'.');
        assert!(matches!(Machine::run(&texts), Ok(Value::Text(text)) if text.len() == 1 << 20));
    }

    #[test]
    fn a_pickle_that_calls_anything_else_is_refused() {
        let error = Machine::run(b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.").err().unwrap();
        assert!(error.contains("os.system"), "{error}");
        assert!(Machine::run(b"").is_err() && Machine::run(b"R").is_err() && Machine::run(b"h\x07").is_err());
    }
}
