import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.tree.TreeScanner;
import com.sun.tools.javac.util.JCDiagnostic;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** What was found out about a text: the declarations that it lacks, and how their types are chosen. */
final class Findings {
    /** The class that has the members which a fragment lacks. */
    static final String BASE = "Lacking";
    private static Library library;

    /** The package of the text. */
    final String place;
    final boolean isFragment;
    /** Simple names that are no classes of the library in this text, although the library has such classes. */
    final TreeSet<String> notOfLibrary = new TreeSet<>();
    /** Classes of the library that are imported for a fragment. */
    final TreeSet<String> imports = new TreeSet<>();
    Declarations declarations = new Declarations();
    /** What the compiler has said in this round. */
    Uses uses;
    /** May a class of the library be taken for another one of the same name? */
    boolean mayDoubt;
    /** All declarations are to be found again, because a class of the library is not what it seemed to be. */
    boolean isRestarted;

    Findings(String place, boolean isFragment) {
        this.place = place;
        this.isFragment = isFragment;
    }

    /** Begins with what is known before the first round. */
    void start() {
        declarations = new Declarations();
        isRestarted = false;
        if (isFragment) {
            declarations.type("", BASE);
        }
        for (String name : notOfLibrary) {
            declarations.type(place, name);
        }
    }

    static Library library() {
        library = library == null ? new Library() : library;
        return library;
    }

    JCTree tree(JCDiagnostic error) {
        if (error.getDiagnosticPosition() == null || error.getSource() != uses.unit.getSourceFile()) {
            return null;
        }
        JCTree tree = error.getDiagnosticPosition().getTree();
        return tree == null ? importAt(error.getPosition()) : uses.known(tree);
    }

    /** Errors about whole packages only tell where their import is. */
    JCTree importAt(long position) {
        for (JCTree one : uses.unit.defs) {
            if (one instanceof JCTree.JCImport && (one.pos == position || TreeInfo.getStartPos(one) == position)) {
                return one;
            }
        }
        return null;
    }

    /** A class of the library that the text names and that is not meant, since something does not fit, is declared anew. */
    boolean doubts(Type type) {
        if (!mayDoubt || type == null || type.tsym == null || type.getTag() == TypeTag.ARRAY) {
            return mayDoubt && type != null && type.getTag() == TypeTag.ARRAY && doubts(uses.types.elemtype(type));
        }
        String name = type.tsym.name.toString();
        String whole = type.tsym.getQualifiedName().toString();
        boolean isNamed = type.getTag() == TypeTag.CLASS && declarations.find(whole) == null && !uses.isOwn(type)
            && type.tsym.owner.kind == com.sun.tools.javac.code.Kinds.Kind.PCK;
        // What is in java.lang is meant, as a rule, and so is what is named by an import.
        if (!isNamed || whole.equals("java.lang." + name) || notOfLibrary.contains(name) || !isSimpleName(name, type.tsym)) {
            return false;
        }
        notOfLibrary.add(name);
        imports.remove(whole);
        isRestarted = true;
        return true;
    }

    /** Of two types that do not fit, the one that was only found by its simple name is doubted first. */
    boolean doubtsOne(Type one, Type other) {
        boolean isOther = other != null && other.tsym != null && imports.contains(other.tsym.getQualifiedName().toString());
        return isOther ? doubts(other) || doubts(one) : doubts(one) || doubts(other);
    }

    boolean isSimpleName(String name, Symbol type) {
        boolean[] isFound = {false};
        new TreeScanner() {
            @Override
            public void visitImport(JCTree.JCImport tree) {
            }

            @Override
            public void visitIdent(JCTree.JCIdent tree) {
                isFound[0] |= tree.sym == type && tree.name.toString().equals(name);
            }
        }.scan(uses.unit);
        return isFound[0] && !isImported(name);
    }

    boolean doubtsAlong(JCTree tree) {
        JCTree bare = TreeInfo.skipParens(tree);
        if (doubts(uses.typeOf(bare))) {
            return true;
        }
        if (bare instanceof JCTree.JCFieldAccess) {
            return doubtsAlong(((JCTree.JCFieldAccess) bare).selected);
        }
        return bare instanceof JCTree.JCMethodInvocation && doubtsAlong(((JCTree.JCMethodInvocation) bare).meth);
    }

    /** Declares a type that is named without a package, or imports it from the library. */
    boolean declareSimple(String name, JCTree tree) {
        if (isFragment && !notOfLibrary.contains(name)) {
            String whole = library().find(name);
            if (whole != null && imports.add(whole)) {
                return true;
            }
        }
        if (isImported(name)) {
            return false;
        }
        return declareIn(place, name, tree);
    }

    /** Declares a type; says whether it is new, which is what mends all its uses. */
    boolean declareIn(String where, String name, JCTree tree) {
        boolean isNew = declarations.find(where.isEmpty() ? name : where + "." + name) == null;
        shape(declarations.type(where, name), tree);
        return isNew;
    }

    boolean isImported(String name) {
        return !isFragment && uses.unit.defs.stream()
            .anyMatch(one -> one instanceof JCTree.JCImport && one.toString().trim().endsWith("." + name + ";"));
    }

    /** Shapes the types that are declared from the start. */
    void shapeAll() {
        new TreeScanner() {
            @Override
            public void visitIdent(JCTree.JCIdent tree) {
                if (notOfLibrary.contains(tree.name.toString()) && uses.isTypePlace(tree)) {
                    shape(declarations.type(place, tree.name.toString()), tree);
                }
            }
        }.scan(uses.unit);
    }

    /** What the place of its name says about a type. */
    void shape(Declarations.Declared type, JCTree tree) {
        JCTree parent = uses.parent(tree);
        if (parent instanceof JCTree.JCTypeApply && ((JCTree.JCTypeApply) parent).clazz == tree) {
            type.parameters = Math.max(type.parameters, ((JCTree.JCTypeApply) parent).arguments.size());
            tree = parent;
            parent = uses.parent(parent);
        }
        if (parent instanceof JCTree.JCAnnotation) {
            type.kind = "@interface";
        }
        if (parent instanceof JCTree.JCClassDecl) {
            JCTree.JCClassDecl user = (JCTree.JCClassDecl) parent;
            boolean isInterface = user.implementing.contains(tree) || (user.mods.flags & Flags.INTERFACE) != 0;
            type.kind = isInterface ? "interface" : type.kind;
        }
        boolean isThrown = parent instanceof JCTree.JCMethodDecl && ((JCTree.JCMethodDecl) parent).thrown.contains(tree)
            || parent instanceof JCTree.JCNewClass && uses.user(parent) instanceof JCTree.JCThrow
            || parent instanceof JCTree.JCTypeUnion
            || parent instanceof JCTree.JCVariableDecl && uses.parent(parent) instanceof JCTree.JCCatch;
        if ((isThrown || type.name.endsWith("Exception")) && type.superclass == null && type.kind.equals("class")) {
            type.superclass = "java.lang.Exception";
        }
    }

    static boolean looksLikeType(String name) {
        return Character.isUpperCase(name.charAt(0)) && (name.length() == 1 || !name.equals(name.toUpperCase(Locale.ROOT)));
    }

    static boolean looksLikePackage(String name) {
        return name.equals(name.toLowerCase(Locale.ROOT));
    }

    /** The declared type that gets a member which a text finds in its own classes or around them. */
    Declarations.Declared ownerOfBareName(JCTree tree) {
        if (isFragment) {
            return declarations.find(BASE);
        }
        for (JCTree.JCClassDecl type = uses.around(tree, JCTree.JCClassDecl.class); type != null;
            type = uses.around(type, JCTree.JCClassDecl.class)) {
            Declarations.Declared owner = type.sym == null ? null : ownerOfMembers(type.sym.type);
            if (owner != null) {
                return owner;
            }
        }
        return null;
    }

    /** The declared type that gets a member which is looked for in this type. */
    Declarations.Declared ownerOfMembers(Type site) {
        Declarations.Declared declared = uses.declared(site);
        if (declared != null || !uses.isOwn(site)) {
            return declared;
        }
        for (Type one : uses.types.closure(site)) {
            if (uses.declared(one) != null) {
                return uses.declared(one);
            }
        }
        return null;
    }

    void takeArguments(Declarations.Member method, List<? extends JCTree> arguments) {
        for (int index = 0; index < arguments.size(); index++) {
            Type type = uses.typeOf(arguments.get(index));
            method.parameters.set(index, joined(method.parameters.get(index), type));
        }
    }

    /** A parameter's type that takes what it took before, and this. */
    String joined(String old, Type type) {
        boolean isNull = type != null && type.getTag() == TypeTag.BOT;
        String next = uses.text(type);
        if (next == null) {
            return old == null || isNull && !Declarations.isPrimitive(old) ? old : "java.lang.Object";
        }
        if (old == null || old.equals(next)) {
            return next;
        }
        List<String> numbers = List.of("byte", "short", "char", "int", "long", "float", "double");
        int wider = Math.max(numbers.indexOf(old), numbers.indexOf(next));
        if (numbers.contains(old) && numbers.contains(next)) {
            boolean isMixed = old.equals("char") || next.equals("char");
            return isMixed ? numbers.get(Math.max(wider, 3)) : numbers.get(wider);
        }
        return "java.lang.Object";
    }

    // The type of a member, from what its uses ask for.

    void decide(Declarations.Member member, List<Uses.Want> wants) {
        List<Type> bounds = new ArrayList<>();
        List<Type> values = new ArrayList<>();
        List<Type> guesses = new ArrayList<>();
        List<Type> arrays = new ArrayList<>();
        TreeSet<String> called = new TreeSet<>();
        boolean isReference = false;
        boolean isUnused = true;
        int dimensions = 0;
        for (Uses.Want want : wants) {
            isUnused &= want.isUnused;
            dimensions = Math.max(dimensions, want.dimensions);
        }
        for (Uses.Want want : wants) {
            if (want.isConstant) {
                declarations.constant(member);
            }
            isReference |= want.isReference;
            if (want.dimensions < dimensions) {
                Type whole = want.upper != null ? want.upper : want.lower;
                if (whole != null && whole.getTag() == TypeTag.ARRAY) {
                    arrays.add(whole);
                }
                continue;
            }
            if (want.member != null) {
                called.add(want.member);
            }
            if (want.upper != null) {
                (want.isGuess ? guesses : bounds).add(want.upper);
            }
            if (want.lower != null) {
                values.add(want.lower);
            }
        }
        member.isGuessed = false;
        if (!arrays.isEmpty()) {
            member.type = orObject(uses.text(arrays.get(0)));
            return;
        }
        Type chosen = choose(bounds, values);
        boolean mustBeReference = (isReference || !called.isEmpty()) && dimensions == 0;
        if (chosen != null && chosen.isPrimitive() && mustBeReference) {
            chosen = uses.types.boxedClass(chosen).type;
        }
        if (chosen != null && chosen.getTag() == TypeTag.TYPEVAR) {
            member.isGeneric = member.parameters != null;
            member.type = "java.lang.Object";
            return;
        }
        if (!called.isEmpty()) {
            decideReceiver(member, chosen, called);
        } else if (chosen != null) {
            member.type = orObject(uses.text(chosen));
        } else {
            member.isGuessed = true;
            Type guess = null;
            for (Type one : guesses) {
                boolean isPossible = !one.isPrimitive() || !mustBeReference;
                boolean isBetter = guess == null || uses.types.isSameType(guess, uses.symbols.objectType);
                guess = isPossible && isBetter ? one : guess;
            }
            boolean isQuestion = member.name.matches("(is|has)\\p{Lu}.*") && guesses.isEmpty() && !isReference;
            member.type = guess != null ? orObject(uses.text(guess))
                : isUnused && member.parameters != null ? "void"
                : isQuestion && dimensions == 0 ? "boolean" : "java.lang.Object";
            member.isGuessed = !member.type.equals("void");
        }
        for (int index = 0; index < dimensions; index++) {
            member.type += "[]";
        }
        if (member.constant > 0 && !Declarations.isPrimitive(member.type) && !member.type.equals("java.lang.String")) {
            member.type = "int";
        }
    }

    static String orObject(String type) {
        return type == null ? "java.lang.Object" : type;
    }

    void decideReceiver(Declarations.Member member, Type chosen, TreeSet<String> called) {
        if (chosen != null) {
            boolean hasAll = uses.declared(chosen) != null || called.stream().allMatch(name -> uses.hasMember(chosen, name));
            if (hasAll || !makeUp(member, chosen)) {
                member.type = orObject(uses.text(chosen));
            }
            return;
        }
        Type string = uses.symbols.stringType;
        boolean isObject = called.stream().allMatch(name -> uses.hasMember(uses.symbols.objectType, name));
        if (isObject || called.stream().allMatch(name -> uses.hasMember(string, name))) {
            member.type = isObject ? "java.lang.Object" : "java.lang.String";
            member.isGuessed = true;
            return;
        }
        makeUp(member, null);
    }

    /** The type among these that fits into all bounds, and that all values fit into. */
    Type choose(List<Type> bounds, List<Type> values) {
        List<Type> all = new ArrayList<>(bounds);
        all.addAll(values);
        for (Type one : all) {
            boolean fits = bounds.stream().allMatch(bound -> uses.types.isAssignable(one, bound))
                && values.stream().allMatch(value -> uses.types.isAssignable(value, one));
            if (fits) {
                return one;
            }
        }
        return all.isEmpty() ? null : all.get(0);
    }

    /** Gives a member a type of its own, which extends another one if there is one. */
    boolean makeUp(Declarations.Member member, Type parent) {
        if (parent != null && !isExtensible(parent)) {
            return false;
        }
        String capital = member.name.substring(0, 1).toUpperCase(Locale.ROOT) + member.name.substring(1);
        String owner = member.owner.name.startsWith(BASE) ? member.owner.name.substring(BASE.length()) : member.owner.name;
        String name = BASE + owner + capital
            + (member.parameters == null ? "" : member.parameters.size());
        Declarations.Declared type = declarations.type(member.owner.place, name);
        type.madeUpFor = member;
        if (parent != null) {
            extend(type, parent);
        }
        member.type = type.whole();
        member.isGuessed = false;
        member.changes++;
        return member.changes < 6;
    }

    boolean isExtensible(Type parent) {
        return parent.getTag() == TypeTag.CLASS && (parent.tsym.flags() & (Flags.FINAL | Flags.ENUM)) == 0
            && uses.text(parent) != null && !uses.isOwn(parent) && hasOpenConstructor(parent);
    }

    boolean hasOpenConstructor(Type type) {
        if (type.tsym.isInterface() || uses.declared(type) != null) {
            return true;
        }
        for (Symbol one : type.tsym.members().getSymbolsByName(uses.names.init)) {
            boolean isOpen = (one.flags() & (Flags.PUBLIC | Flags.PROTECTED)) != 0;
            if (isOpen && one.type.getParameterTypes().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Makes a declared type a subtype of another one. */
    boolean extend(Declarations.Declared type, Type parent) {
        String whole = uses.text(parent);
        boolean isSame = whole != null && (whole + "<").startsWith(type.whole() + "<");
        if (whole == null || isSame || whole.equals("java.lang.Object")) {
            return false;
        }
        Declarations.Declared other = uses.declared(parent);
        boolean isInterface = other != null ? other.kind.equals("interface") : parent.tsym.isInterface();
        if (descends(other, type)) {
            return false;
        }
        if (isInterface) {
            return type.interfaces.add(whole);
        }
        if (!isExtensible(parent)) {
            return false;
        }
        if (whole.equals("java.lang.Throwable")) {
            whole = "java.lang.Exception";
        }
        if (type.kind.equals("interface")) {
            type.kind = "class";
        }
        if (type.superclass == null || type.superclass.equals("java.lang.Exception") && other == null) {
            boolean isNew = !whole.equals(type.superclass);
            type.superclass = whole;
            return isNew;
        }
        Declarations.Declared above = declarations.find(type.superclass);
        if (above != null && above != other) {
            return extend(above, parent);
        }
        // Two classes cannot be extended; one that is never made with `new` may be an interface as well.
        if (other != null && other.superclass == null && other.members.values().stream().noneMatch(one -> one.isConstructor())
            && other.members.values().stream().noneMatch(one -> one.parameters == null && !one.isStatic)) {
            other.kind = "interface";
            return type.interfaces.add(whole);
        }
        boolean isBetween = above == null && other != null && other.superclass == null && !descends(other, type);
        if (isBetween && !type.superclass.equals(other.whole())) {
            other.superclass = type.superclass;
            type.superclass = whole;
            return true;
        }
        return false;
    }

    boolean descends(Declarations.Declared type, Declarations.Declared from) {
        if (type == null || type == from) {
            return type != null;
        }
        if (type.superclass != null && descends(declarations.find(type.superclass), from)) {
            return true;
        }
        return type.interfaces.stream().anyMatch(one -> descends(declarations.find(one.replaceAll("<.*", "")), from));
    }

}
