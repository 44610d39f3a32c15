import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Types that a text lacks, declared with no more than the text uses of them.
 *
 * Types are written with their whole names, so that no declaration changes what another one says. A method has one
 * declaration for each number of arguments, so that no call is ambiguous.
 */
final class Declarations {
    /** By whole name, in the order of the alphabet: the same findings are always written the same. */
    final Map<String, Declared> types = new TreeMap<>();
    private final TreeSet<String> packages = new TreeSet<>();
    private int constants;

    /** A class, an interface or an annotation. */
    static final class Declared {
        final String place;
        final String name;
        final Declared outer;
        String kind = "class";
        int parameters;
        String superclass;
        /** It stands for the type of a field or a result, and the text never names it. */
        Member madeUpFor;
        boolean isAbstract;
        final TreeSet<String> interfaces = new TreeSet<>();
        final Map<String, Member> members = new LinkedHashMap<>();
        final Map<String, Declared> nested = new TreeMap<>();

        private Declared(String place, String name, Declared outer) {
            this.place = place;
            this.name = name;
            this.outer = outer;
        }

        String whole() {
            if (outer != null) {
                return outer.whole() + "." + name;
            }
            return place.isEmpty() ? name : place + "." + name;
        }

        Member field(String field) {
            return members.get(field);
        }

        Member method(String method, int count) {
            Member called = members.get(method + "/" + count);
            return called != null ? called : members.get(method + "/" + count + " overridden");
        }
    }

    /** A field, a method, or a constructor, which has the name that bytecode gives it. */
    static final class Member {
        final Declared owner;
        final String name;
        /** Absent for a field. */
        List<String> parameters;
        String type = "void";
        String access = "public";
        boolean isStatic;
        boolean isVariadic;
        /** The constant's number, from one. */
        int constant;
        /** Nothing that was seen makes this type the only one. */
        boolean isGuessed;
        /** The result is whatever its place asks for. */
        boolean isGeneric;
        /** It does the work of an interface of the library, with its parameters as they are. */
        boolean isFixed;
        int changes;
        final TreeSet<String> thrown = new TreeSet<>();
        final TreeSet<String> neverThrown = new TreeSet<>();

        private Member(Declared owner, String name) {
            this.owner = owner;
            this.name = name;
        }

        boolean isConstructor() {
            return name.equals("<init>");
        }
    }

    Declared find(String whole) {
        return types.get(whole);
    }

    /** The type of this name, which is declared if it is not there yet. */
    Declared type(String place, String name) {
        packages.add(place);
        String whole = place.isEmpty() ? name : place + "." + name;
        return types.computeIfAbsent(whole, key -> new Declared(place, name, null));
    }

    Declared nested(Declared outer, String name) {
        Declared type = outer.nested.computeIfAbsent(name, key -> new Declared(outer.place, name, outer));
        types.putIfAbsent(type.whole(), type);
        return type;
    }

    Member field(Declared owner, String name) {
        return owner.members.computeIfAbsent(name, key -> new Member(owner, name));
    }

    Member method(Declared owner, String name, int count) {
        return method(owner, name, count, name + "/" + count);
    }

    /** The method that one of the text overrides; there may be another one that the text calls. */
    Member overridden(Declared owner, String name, int count) {
        return method(owner, name, count, name + "/" + count + " overridden");
    }

    private Member method(Declared owner, String name, int count, String place) {
        return owner.members.computeIfAbsent(place, key -> {
            Member member = new Member(owner, name);
            member.parameters = new ArrayList<>();
            for (int index = 0; index < count; index++) {
                member.parameters.add(null);
            }
            return member;
        });
    }

    void constant(Member field) {
        if (field.constant == 0) {
            field.constant = ++constants;
            field.isStatic = true;
        }
    }

    /** One source for each package. */
    List<String> sources() {
        for (Declared type : types.values()) {
            Declared above = type.superclass == null ? null : types.get(type.superclass);
            if (above != null && above.kind.equals("interface")) {
                type.interfaces.add(type.superclass);
                type.superclass = null;
            }
        }
        List<String> sources = new ArrayList<>();
        for (String place : packages) {
            StringBuilder source = new StringBuilder();
            if (!place.isEmpty()) {
                source.append("package ").append(place).append(";\n");
            }
            for (Declared type : types.values()) {
                if (type.outer == null && type.place.equals(place)) {
                    write(type, source);
                }
            }
            sources.add(source.toString());
        }
        return sources;
    }

    private void write(Declared type, StringBuilder source) {
        source.append("public ");
        if (type.outer != null) {
            source.append("static ");
        }
        if (type.isAbstract && type.kind.equals("class")) {
            source.append("abstract ");
        }
        source.append(type.kind).append(' ').append(type.name);
        if (type.parameters > 0) {
            source.append('<');
            for (int index = 0; index < type.parameters; index++) {
                source.append(index == 0 ? "" : ", ").append("Lacking").append(index);
            }
            source.append('>');
        }
        if (type.superclass != null && type.kind.equals("class")) {
            source.append(" extends ").append(type.superclass);
        }
        if (!type.interfaces.isEmpty() && !type.kind.equals("@interface")) {
            source.append(type.kind.equals("class") ? " implements " : " extends ");
            source.append(String.join(", ", type.interfaces));
        }
        source.append(" {\n");
        if (type.kind.equals("class") && type.method("<init>", 0) == null) {
            source.append("protected ").append(type.name).append("() { }\n");
        }
        for (Member member : type.members.values()) {
            int count = member.parameters == null ? 0 : member.parameters.size();
            Member overridden = type.members.get(member.name + "/" + count + " overridden");
            boolean isTwice = member.parameters != null && overridden != null && overridden != member
                && overridden.parameters.equals(member.parameters);
            if (!isTwice) {
                write(member, source);
            }
        }
        for (Declared nested : type.nested.values()) {
            write(nested, source);
        }
        source.append("}\n");
    }

    private void write(Member member, StringBuilder source) {
        Declared owner = member.owner;
        boolean isGeneric = member.isGeneric || isHidden(owner, member.type);
        String type = isGeneric ? "Lacking" : member.type;
        if (owner.kind.equals("@interface")) {
            String value = neutral(type);
            source.append(type).append(' ').append(member.name).append("()");
            source.append(value.equals("null") ? "" : " default " + value).append(";\n");
            return;
        }
        if (member.parameters == null) {
            boolean isInterface = owner.kind.equals("interface");
            source.append("public ").append(member.isStatic || isInterface ? "static " : "");
            if (member.constant > 0) {
                String value = type.equals("java.lang.String") ? "\"" + member.constant + "\"" : "" + member.constant;
                source.append("final ").append(type).append(' ').append(member.name).append(" = ").append(value);
            } else {
                source.append(isGeneric ? "java.lang.Object" : type).append(' ').append(member.name);
                source.append(isInterface ? " = " + neutral(type) : "");
            }
            source.append(";\n");
            return;
        }
        source.append(member.access).append(' ');
        source.append(member.isStatic ? "static " : owner.kind.equals("interface") ? "default " : "");
        if (member.isConstructor()) {
            source.append(owner.name);
        } else {
            source.append(isGeneric ? "<Lacking> " : "").append(type).append(' ').append(member.name);
        }
        source.append('(');
        for (int index = 0; index < member.parameters.size(); index++) {
            String parameter = member.parameters.get(index);
            source.append(index == 0 ? "" : ", ");
            source.append(parameter == null || isHidden(owner, parameter) ? "java.lang.Object" : parameter);
            source.append(member.isVariadic && index + 1 == member.parameters.size() ? "..." : "");
            source.append(" a").append(index);
        }
        source.append(')');
        if (!member.thrown.isEmpty()) {
            source.append(" throws ").append(String.join(", ", member.thrown));
        }
        source.append(member.isConstructor() || type.equals("void") ? " { }\n" : " { throw null; }\n");
    }

    /** A type without a package cannot be named in one. */
    private static boolean isHidden(Declared owner, String type) {
        if (owner.place.isEmpty()) {
            return false;
        }
        List<String> words = List.of("", "?", "extends", "super", "void");
        for (String name : type.split("[^\\p{L}\\p{N}_$.?]+")) {
            if (!words.contains(name) && !name.contains(".") && !isPrimitive(name)) {
                return true;
            }
        }
        return false;
    }

    static boolean isPrimitive(String type) {
        switch (type) {
            case "boolean": case "byte": case "char": case "short": case "int": case "long": case "float": case "double":
                return true;
            default:
                return false;
        }
    }

    private static String neutral(String type) {
        if (type.endsWith("[]")) {
            return "{}";
        }
        if (type.equals("java.lang.String")) {
            return "\"\"";
        }
        if (type.startsWith("java.lang.Class")) {
            return "java.lang.Object.class";
        }
        return type.equals("boolean") ? "false" : isPrimitive(type) ? "0" : "null";
    }
}
