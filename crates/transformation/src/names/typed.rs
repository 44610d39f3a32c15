//! Names that say what they are: the kind, the type and a number.
//!
//! Nothing is random: the first free number is used, so the same program always gets the same names.
//!
//! ```java
//! int area(int width) { int total = 2 * width; return total; }
//! ```
//! ->
//! ```java
//! int area(int width) { int localInt1 = 2 * width; return localInt1; }
//! ```

use syntax::types::Number;
use syntax::{SymbolKind, Type};

use super::Request;
use random::Random;

pub(super) fn propose(request: &Request<'_>, _: &mut Random) -> Vec<String> {
    let sort = match request.wish.kind {
        SymbolKind::Local => "local",
        SymbolKind::Parameter => "parameter",
        SymbolKind::Field => "field",
        SymbolKind::Function => "function",
        SymbolKind::Type => "type",
        SymbolKind::Namespace => "namespace",
        SymbolKind::Label => "label",
        SymbolKind::Import => "import",
        SymbolKind::Macro => "macro",
        SymbolKind::Global => "global",
    };
    let mut words = vec![sort];
    words.extend(word_of(&request.wish.value_type));
    const BATCH: usize = 16;
    let first = request.attempt * BATCH + 1;
    let number = |number: usize| {
        let number = number.to_string();
        let mut words = words.clone();
        words.push(&number);
        request.convention.join(&words)
    };
    (first..first + BATCH).map(number).collect()
}

fn word_of(value_type: &Type) -> Option<&'static str> {
    Some(match value_type {
        Type::Unknown | Type::Void | Type::Null | Type::Module => return None,
        Type::Boolean => "boolean",
        Type::Number(number) => match number {
            Number::Char | Number::SignedChar | Number::UnsignedChar => "char",
            Number::Byte => "byte",
            Number::Short | Number::UnsignedShort => "short",
            Number::Int | Number::UnsignedInt | Number::PlatformInteger | Number::BigInteger => "int",
            Number::Long | Number::UnsignedLong | Number::LongLong | Number::UnsignedLongLong => "long",
            Number::Float => "float",
            Number::Double | Number::LongDouble => "double",
            Number::JavaScriptNumber => "number",
        },
        Type::Text => "string",
        Type::Declared(_) | Type::Outside(_) => "object",
        Type::Array(_) => "array",
        Type::Pointer(_) => "pointer",
        Type::Function(_) => "function",
    })
}
