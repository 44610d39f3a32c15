//! The files beside an ONNX file that hold its weights, where it does not hold them itself.
//!
//! An ONNX file is a message in the encoding of protocol buffers. Only what leads to names of files is looked at; the numbers of the
//! fields are those of `onnx.proto`, version 1.23.

/// The names of the files that a model keeps weights in, each once, in the order of their first use; `None` when this is no ONNX file.
pub fn files(model: &[u8]) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut has_graph = false;
    for field in fields(model)? {
        match field {
            (7, part) => {
                has_graph = true;
                walk(Message::Graph, part, 0, &mut found)?;
            }
            (25, part) => walk(Message::Function, part, 0, &mut found)?,
            _ => {}
        }
    }
    has_graph.then_some(found)
}

#[derive(Clone, Copy)]
enum Message {
    Graph,
    Function,
    Node,
    Attribute,
    SparseTensor,
    Tensor,
    Entry,
}

/// Graphs within graphs deeper than this are not looked at: no model has them, and the call stack is limited.
const DEEPEST: usize = 100;

fn walk(message: Message, bytes: &[u8], depth: usize, found: &mut Vec<String>) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    let fields = fields(bytes)?;
    if let Message::Entry = message {
        // A key and its value.
        let text = |number| fields.iter().find(|(field, _)| *field == number).map(|(_, text)| *text);
        if let (Some(b"location"), Some(location)) = (text(1), text(2)) {
            let location = String::from_utf8_lossy(location).into_owned();
            if !found.contains(&location) {
                found.push(location);
            }
        }
        return Some(());
    }
    for (number, part) in fields {
        let inner = match (message, number) {
            (Message::Graph, 1) | (Message::Function, 7) => Message::Node,
            (Message::Graph, 5) | (Message::Attribute, 5 | 10) | (Message::SparseTensor, 1 | 2) => Message::Tensor,
            (Message::Graph, 15) | (Message::Attribute, 22 | 23) => Message::SparseTensor,
            (Message::Node, 5) => Message::Attribute,
            (Message::Attribute, 6 | 11) => Message::Graph,
            (Message::Tensor, 13) => Message::Entry,
            _ => continue,
        };
        walk(inner, part, depth + 1, found)?;
    }
    Some(())
}

/// The fields of a message that have bytes, by their numbers; `None` when the bytes are not a message.
fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, &[u8])>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes)?;
        match tag & 7 {
            0 => {
                number(&mut bytes)?;
            }
            1 => bytes = bytes.get(8..)?,
            2 => {
                let length = usize::try_from(number(&mut bytes)?).ok()?;
                let (part, rest) = bytes.split_at_checked(length)?;
                fields.push((tag >> 3, part));
                bytes = rest;
            }
            5 => bytes = bytes.get(4..)?,
            _ => return None,
        }
    }
    Some(fields)
}

/// A number in groups of seven bits, the lowest first.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..10 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u64, content: impl AsRef<[u8]>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for mut value in [number << 3 | 2, content.as_ref().len() as u64] {
            while value >= 0x80 {
                bytes.push(value as u8 | 0x80);
                value >>= 7;
            }
            bytes.push(value as u8);
        }
        bytes.extend(content.as_ref());
        bytes
    }

    fn entry(key: &str, value: &str) -> Vec<u8> {
        field(13, [field(1, key), field(2, value)].concat())
    }

    #[test]
    fn files_are_found_wherever_a_tensor_stands() {
        let tensor = |name: &str| [entry("offset", "64"), entry("location", name), field(9, [0; 300])].concat();
        let inner = field(5, tensor("inner.data"));
        let node = field(5, [field(5, tensor("constant.data")), field(6, inner)].concat());
        let graph = [field(5, tensor("model.data")), field(1, node), field(5, tensor("model.data"))].concat();
        // A version, two numbers of fixed size, and then the graph.
        let model =
            [vec![8, 0x8a, 1, 1 << 3 | 1, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 3 | 5, 0, 0, 0, 0], field(7, graph)].concat();
        assert_eq!(files(&model).unwrap(), ["model.data", "constant.data", "inner.data"]);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let model = field(7, field(5, field(13, field(1, "location"))));
        assert_eq!(files(&model), Some(Vec::new()));
        for cut in 1..model.len() {
            assert_eq!(files(&model[..cut]), None, "{cut}");
        }
        for bytes in [&b""[..], b"<html>", &[0xff; 20], &[8, 1], b"PK\x03\x04"] {
            assert_eq!(files(bytes), None, "{bytes:?}");
        }
        let mut deep = Vec::new();
        for _ in 0..200 {
            deep = field(1, field(5, field(6, deep)));
        }
        assert_eq!(files(&field(7, deep)), None);
    }
}
