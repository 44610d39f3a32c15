//! How a Java program looks at its own text, and how it reaches names by text.

use crate::kind::{Field, Kind};
use crate::tree::Node;

/// Does this node look at the text, the lines or the stack of its program?
pub(crate) fn is_mirror(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::MethodInvocation => match node.child(Field::Name).map_or("", Node::text) {
            "getStackTrace" | "getAllStackTraces" => true,
            // Without an argument it goes to the errors.
            "printStackTrace" => {
                node.child(Field::Arguments).is_none_or(|arguments| arguments.named_children().next().is_some())
            }
            _ => false,
        },
        Kind::Identifier | Kind::TypeIdentifier => {
            matches!(node.text(), "StackOverflowError" | "StackTraceElement" | "StackWalker")
        }
        _ => false,
    }
}

/// Does this node reach names by text?
pub(crate) fn is_road(node: Node<'_>) -> bool {
    if node.kind() != Kind::MethodInvocation {
        return false;
    }
    let Some(name) = node.child(Field::Name) else { return false };
    match name.text() {
        "forName" | "loadClass" | "getSimpleName" | "getCanonicalName" | "getEnclosingMethod" | "newProxyInstance" => {
            true
        }
        "getField" | "getFields" | "getDeclaredField" | "getDeclaredFields" => true,
        "getMethod" | "getMethods" | "getDeclaredMethod" | "getDeclaredMethods" => true,
        "getConstructor" | "getConstructors" | "getDeclaredConstructor" | "getDeclaredConstructors" => true,
        "getClasses" | "getDeclaredClasses" | "getRecordComponents" => true,
        "findVirtual" | "findStatic" | "findSpecial" | "findGetter" | "findSetter" | "findVarHandle" => true,
        // Files and threads have names, too; those of classes are names of the program.
        "getName" => node.child(Field::Object).is_some_and(|object| match object.kind() {
            Kind::ClassLiteral => true,
            Kind::MethodInvocation => object.child(Field::Name).is_some_and(|name| name.text() == "getClass"),
            _ => false,
        }),
        _ => false,
    }
}
