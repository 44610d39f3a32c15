import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.api.ClientCodeWrapper;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.tree.TreeScanner;
import com.sun.tools.javac.util.JCDiagnostic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/**
 * Finds declarations for what a text lacks: types, fields, methods, constructors, exceptions.
 *
 * The text is compiled round by round. What the compiler does not find is declared, with the type that its uses ask
 * for; where a type turns out to be wrong, it is changed. The text itself is never changed, and an error that no
 * declaration can mend, such as a variable without a value, ends the attempt.
 */
final class Repair {
    /** The class around a fragment, as scaffolds have it, and the class that it extends here. */
    private static final String CLASS = "class Scaffold {";
    private static final String BASE = "Lacking";
    private static final int MOST_ROUNDS = 80;
    private static final int MOST_STARTS = 8;

    /** Compiles sources, of which the first is the text, and hands over what is known then. */
    interface Compiler {
        void compile(List<String> sources, boolean isParsedOnly, Listener listener);

        /** What was compiled before is forgotten: a class that has become an interface is not understood otherwise. */
        void forget();
    }

    /** Takes the result of a round. */
    interface Listener {
        void done(BasicJavacTask task, JCTree.JCCompilationUnit unit, List<? extends Diagnostic<?>> diagnostics);
    }

    private static Library library;

    private final Compiler compiler;
    private final String text;
    private final long end;
    private String before;
    private String after;
    private String place;
    private String className;
    private String problem = "nothing was tried";
    private boolean isDone;
    private boolean isRestarted;
    private boolean isFragment;
    private boolean mayDoubt;
    private int rounds;

    /** Simple names that are no classes of the library in this text, although the library has such classes. */
    private final TreeSet<String> notOfLibrary = new TreeSet<>();
    private final TreeSet<String> imports = new TreeSet<>();
    private Declarations declarations = new Declarations();
    private final Map<String, String> kinds = new TreeMap<>();
    private Uses uses;

    Repair(Compiler compiler, String text, long milliseconds) {
        this.compiler = compiler;
        this.text = text;
        this.end = System.nanoTime() + milliseconds * 1_000_000;
    }

    /** Tries all scaffolds in which the text parses; says whether one was found. */
    boolean succeeds(List<String[]> scaffolds) {
        for (String[] scaffold : scaffolds) {
            before = scaffold[0];
            after = scaffold[1];
            isFragment = before.contains(CLASS);
            className = null;
            if (parses()) {
                return mend();
            }
        }
        return false;
    }

    String problem() {
        return problem;
    }

    String before() {
        if (!isFragment) {
            return before;
        }
        StringBuilder changed = new StringBuilder();
        for (String one : imports) {
            changed.append("import ").append(one).append("; ");
        }
        String name = className == null ? "Scaffold" : className;
        return changed + before.replace(CLASS, "class " + name + " extends " + BASE + " {");
    }

    String after() {
        return after;
    }

    List<String> declared() {
        return declarations.sources();
    }

    private boolean parses() {
        for (int attempt = 0; attempt < 2; attempt++) {
            String[] name = {null};
            boolean[] isGood = {false};
            compiler.compile(List.of(before() + text + after), true, (task, unit, diagnostics) -> {
                List<JCDiagnostic> errors = errors(diagnostics);
                isGood[0] = errors.isEmpty();
                place = unit.getPackageName() == null ? "" : unit.getPackageName().toString();
                if (!errors.isEmpty()) {
                    problem = told(errors.get(0));
                    if (errors.get(0).getCode().equals("compiler.err.invalid.meth.decl.ret.type.req")) {
                        name[0] = wordAt((int) errors.get(0).getPosition());
                    }
                } else {
                    name[0] = outerName(unit);
                }
            });
            boolean isNamed = isFragment && className == null && name[0] != null;
            className = isNamed ? name[0] : className;
            if (isGood[0]) {
                return true;
            }
            if (!isNamed) {
                return false;
            }
        }
        return false;
    }

    private String wordAt(int position) {
        Matcher word = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*").matcher(before() + text + after);
        return position >= 0 && word.find(position) ? word.group() : null;
    }

    /** The name of the class that a fragment is from, as `Name.this` tells. */
    private static String outerName(JCTree.JCCompilationUnit unit) {
        String[] name = {null};
        TreeSet<String> declared = new TreeSet<>();
        new TreeScanner() {
            @Override
            public void visitClassDef(JCTree.JCClassDecl tree) {
                declared.add(tree.name.toString());
                super.visitClassDef(tree);
            }

            @Override
            public void visitSelect(JCTree.JCFieldAccess tree) {
                boolean isOuter = tree.name.toString().equals("this") && tree.selected instanceof JCTree.JCIdent;
                name[0] = isOuter && name[0] == null ? tree.selected.toString() : name[0];
                super.visitSelect(tree);
            }
        }.scan(unit);
        return declared.contains(name[0] == null ? "" : name[0]) ? null : name[0];
    }

    private boolean mend() {
        for (int start = 0; start < MOST_STARTS; start++) {
            declarations = new Declarations();
            if (isFragment) {
                declarations.type("", BASE);
            }
            for (String name : notOfLibrary) {
                declarations.type(place, name);
            }
            boolean[] isFirst = {true};
            isRestarted = false;
            // A compiler that has seen earlier rounds may be wrong: nothing is given up before a new one has said the same.
            boolean isAnew = false;
            while (!isRestarted) {
                if (++rounds > MOST_ROUNDS || System.nanoTime() > end) {
                    problem = "too much is lacking: " + problem;
                    return false;
                }
                boolean[] isChanged = {false};
                List<String> sources = new ArrayList<>();
                sources.add(before() + text + after);
                sources.addAll(declarations.sources());
                forgetOtherKinds();
                compiler.compile(sources, false, (task, unit, diagnostics) -> {
                    List<JCDiagnostic> errors = errors(diagnostics);
                    isDone = errors.isEmpty();
                    if (!isDone) {
                        uses = new Uses(task.getContext(), unit, declarations);
                        if (isFirst[0]) {
                            shapeAll();
                            isFirst[0] = false;
                        }
                        isChanged[0] = mend(errors);
                        uses = null;
                    }
                });
                if (isDone) {
                    return true;
                }
                if (!isChanged[0] && !isRestarted) {
                    if (isAnew) {
                        return false;
                    }
                    compiler.forget();
                }
                isAnew = !isChanged[0];
            }
        }
        return false;
    }

    private void forgetOtherKinds() {
        boolean isOther = false;
        for (Declarations.Declared type : declarations.types.values()) {
            String old = kinds.put(type.whole(), type.kind);
            isOther |= old != null && !old.equals(type.kind);
        }
        if (isOther) {
            compiler.forget();
        }
    }

    private static List<JCDiagnostic> errors(List<? extends Diagnostic<?>> diagnostics) {
        List<JCDiagnostic> errors = new ArrayList<>();
        for (Diagnostic<?> diagnostic : diagnostics) {
            Diagnostic<?> bare = diagnostic instanceof ClientCodeWrapper.DiagnosticSourceUnwrapper
                ? ((ClientCodeWrapper.DiagnosticSourceUnwrapper) diagnostic).d : diagnostic;
            if (bare.getKind() == Diagnostic.Kind.ERROR && bare instanceof JCDiagnostic) {
                errors.add((JCDiagnostic) bare);
            }
        }
        return errors;
    }

    private static String told(JCDiagnostic error) {
        return "line " + error.getLineNumber() + ": " + error.getMessage(Locale.ROOT).replace('\n', ' ');
    }

    // What is lacking is declared first; then types that do not fit are changed; what flow says makes sense only then.

    private boolean mend(List<JCDiagnostic> errors) {
        boolean isChanged = false;
        // Only when nothing else helps, a class of the library is taken for another one of the same name.
        for (int attempt = 0; attempt < 2 && !isChanged; attempt++) {
            mayDoubt = attempt == 1;
            isChanged = declareLacks(errors) || refitAll(errors);
        }
        problem = told(errors.get(0));
        for (int index = 0; index < errors.size() && !isChanged; index++) {
            isChanged = reflow(errors.get(index));
        }
        return isChanged;
    }

    private boolean declareLacks(List<JCDiagnostic> errors) {
        Lacks lacks = new Lacks();
        boolean isChanged = false;
        for (JCDiagnostic error : errors) {
            isChanged |= isLack(error.getCode()) && !isRestarted && lacks.note(error);
        }
        lacks.declare();
        return isChanged;
    }

    private boolean refitAll(List<JCDiagnostic> errors) {
        boolean isChanged = false;
        for (JCDiagnostic error : errors) {
            isChanged |= !isLack(error.getCode()) && !isRestarted && refit(error);
        }
        return isChanged;
    }

    private static boolean isLack(String code) {
        return code.startsWith("compiler.err.cant.resolve") || code.equals("compiler.err.doesnt.exist");
    }

    private JCTree tree(JCDiagnostic error) {
        if (error.getDiagnosticPosition() == null || error.getSource() != uses.unit.getSourceFile()) {
            return null;
        }
        JCTree tree = error.getDiagnosticPosition().getTree();
        return tree == null ? importAt(error.getPosition()) : uses.known(tree);
    }

    /** Errors about whole packages only tell where their import is. */
    private JCTree importAt(long position) {
        for (JCTree one : uses.unit.defs) {
            if (one instanceof JCTree.JCImport && (one.pos == position || TreeInfo.getStartPos(one) == position)) {
                return one;
            }
        }
        return null;
    }

    /** A class of the library that the text names and that is not meant, since something does not fit, is declared anew. */
    private boolean doubts(Type type) {
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
    private boolean doubtsOne(Type one, Type other) {
        boolean isOther = other != null && other.tsym != null && imports.contains(other.tsym.getQualifiedName().toString());
        return isOther ? doubts(other) || doubts(one) : doubts(one) || doubts(other);
    }

    private boolean isSimpleName(String name, Symbol type) {
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

    private boolean doubtsAlong(JCTree tree) {
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
    private boolean declareSimple(String name, JCTree tree) {
        if (isFragment && !notOfLibrary.contains(name)) {
            library = library == null ? new Library() : library;
            String whole = library.find(name);
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
    private boolean declareIn(String where, String name, JCTree tree) {
        boolean isNew = declarations.find(where.isEmpty() ? name : where + "." + name) == null;
        shape(declarations.type(where, name), tree);
        return isNew;
    }

    private boolean isImported(String name) {
        return !isFragment && uses.unit.defs.stream()
            .anyMatch(one -> one instanceof JCTree.JCImport && one.toString().trim().endsWith("." + name + ";"));
    }

    /** Shapes the types that are declared from the start. */
    private void shapeAll() {
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
    private void shape(Declarations.Declared type, JCTree tree) {
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

    private static boolean looksLikeType(String name) {
        return Character.isUpperCase(name.charAt(0)) && (name.length() == 1 || !name.equals(name.toUpperCase(Locale.ROOT)));
    }

    private static boolean looksLikePackage(String name) {
        return name.equals(name.toLowerCase(Locale.ROOT));
    }

    /** What is lacking in one round: uses of the same name are looked at together. */
    private final class Lacks {
        private final Map<Declarations.Member, List<JCTree>> members = new LinkedHashMap<>();

        boolean note(JCDiagnostic error) {
            JCTree tree = tree(error);
            if (tree == null) {
                return false;
            }
            if (uses.around(tree, JCTree.JCImport.class) != null || tree instanceof JCTree.JCImport) {
                return noteImport(tree);
            }
            JCTree parent = uses.parent(tree);
            boolean isCall = parent instanceof JCTree.JCMethodInvocation && ((JCTree.JCMethodInvocation) parent).meth == tree;
            if (tree instanceof JCTree.JCIdent) {
                String name = ((JCTree.JCIdent) tree).name.toString();
                if (isCall) {
                    return noteCall(ownerOfBareName(tree), name, tree, (JCTree.JCMethodInvocation) parent);
                }
                if (parent instanceof JCTree.JCAssign && uses.parent(parent) instanceof JCTree.JCAnnotation) {
                    return noteElement((JCTree.JCAnnotation) uses.parent(parent), name, ((JCTree.JCAssign) parent).rhs);
                }
                boolean isSelected = parent instanceof JCTree.JCFieldAccess;
                boolean isType = uses.isTypePlace(tree) || isSelected && (looksLikeType(name) || isTypeElsewhere(name));
                return isType ? declareSimple(name, tree) : noteField(ownerOfBareName(tree), name, tree);
            }
            if (tree instanceof JCTree.JCFieldAccess) {
                return noteSelection((JCTree.JCFieldAccess) tree, error, isCall);
            }
            if (tree instanceof JCTree.JCNewClass) {
                return widen(tree, uses.typeOf(((JCTree.JCNewClass) tree).clazz), "<init>", ((JCTree.JCNewClass) tree).args);
            }
            return false;
        }

        private boolean isTypeElsewhere(String name) {
            boolean[] isFound = {false};
            new TreeScanner() {
                @Override
                public void visitIdent(JCTree.JCIdent tree) {
                    isFound[0] |= tree.name.toString().equals(name) && uses.isTypePlace(tree)
                        && !(uses.parent(tree) instanceof JCTree.JCFieldAccess);
                }
            }.scan(uses.unit);
            return isFound[0];
        }

        private boolean noteImport(JCTree tree) {
            JCTree whole = tree;
            while (uses.parent(whole) instanceof JCTree.JCFieldAccess) {
                whole = uses.parent(whole);
            }
            String[] parts = whole.toString().replaceAll("^import\\s+(static\\s+)?|;\\s*$", "").trim().split("\\.");
            boolean isStatic = whole instanceof JCTree.JCImport ? ((JCTree.JCImport) whole).staticImport
                : uses.parent(whole) instanceof JCTree.JCImport && ((JCTree.JCImport) uses.parent(whole)).staticImport;
            int last = isStatic ? parts.length - 2 : parts.length - 1;
            int first = 0;
            while (first < last && looksLikePackage(parts[first])) {
                first++;
            }
            String place = String.join(".", List.of(parts).subList(0, first));
            if (parts[first].equals("*")) {
                return declarations.find(place + ".Lacking") == null && declarations.type(place, "Lacking") != null;
            }
            boolean isNew = declarations.find(place + "." + parts[first]) == null;
            Declarations.Declared type = declarations.type(place, parts[first]);
            shapeImported(type);
            for (int next = first + 1; next <= last && !parts[next].equals("*"); next++) {
                isNew |= type.nested.get(parts[next]) == null;
                type = declarations.nested(type, parts[next]);
            }
            return isNew;
        }

        private void shapeImported(Declarations.Declared type) {
            new TreeScanner() {
                @Override
                public void visitIdent(JCTree.JCIdent tree) {
                    if (tree.name.toString().equals(type.name) && uses.isTypePlace(tree)) {
                        shape(type, tree);
                    }
                }
            }.scan(uses.unit);
        }

        private boolean noteElement(JCTree.JCAnnotation annotation, String name, JCTree value) {
            Declarations.Declared owner = uses.declared(annotation.annotationType.type);
            if (owner == null) {
                return false;
            }
            Declarations.Member element = declarations.method(owner, name, 0);
            boolean isList = value instanceof JCTree.JCNewArray;
            JCTree first = !isList ? value : ((JCTree.JCNewArray) value).elems.nonEmpty() ? ((JCTree.JCNewArray) value).elems.head : null;
            Object literal = first instanceof JCTree.JCLiteral ? ((JCTree.JCLiteral) first).value : null;
            String kind = literal instanceof Integer && first.toString().matches("true|false") ? "boolean"
                : literal instanceof Integer ? "int" : literal instanceof Boolean ? "boolean"
                : first instanceof JCTree.JCAnnotation ? uses.text(((JCTree.JCAnnotation) first).annotationType.type)
                : first != null && first.toString().endsWith(".class") ? "java.lang.Class<?>" : "java.lang.String";
            if (kind == null) {
                return false;
            }
            element.type = kind + (isList ? "[]" : "");
            return true;
        }

        private boolean noteSelection(JCTree.JCFieldAccess tree, JCDiagnostic error, boolean isCall) {
            String name = tree.name.toString();
            Symbol selected = TreeInfo.symbol(tree.selected);
            if (selected instanceof Symbol.PackageSymbol || error.getCode().equals("compiler.err.doesnt.exist")) {
                return noteQualified(tree, isCall);
            }
            Type site = uses.typeOf(tree.selected);
            Declarations.Declared owner = ownerOfMembers(site);
            if (owner == null) {
                // What was only guessed about the receiver was wrong.
                Declarations.Member receiver = uses.member(tree.selected);
                boolean isLoop = receiver != null && receiver.type.endsWith("[]") && !receiver.isFixed;
                if (isLoop || receiver != null && receiver.isGuessed) {
                    return makeUp(receiver, null);
                }
                return doubtsAlong(tree.selected);
            }
            if (isCall) {
                return noteCall(owner, name, tree, (JCTree.JCMethodInvocation) uses.parent(tree));
            }
            if (uses.isTypePlace(tree)) {
                shape(declarations.nested(owner, name), tree);
                return true;
            }
            JCTree parent = uses.parent(tree);
            boolean isOnType = selected instanceof Symbol.ClassSymbol;
            if (isOnType && parent instanceof JCTree.JCFieldAccess && looksLikeType(name)) {
                declarations.nested(owner, name);
                return true;
            }
            return noteField(owner, name, tree);
        }

        /** Something with points in it, the first part of which is unknown: a type with its package, or a variable's member. */
        private boolean noteQualified(JCTree.JCFieldAccess tree, boolean isCall) {
            List<JCTree> parts = new ArrayList<>();
            for (JCTree part = tree; part instanceof JCTree.JCFieldAccess; part = ((JCTree.JCFieldAccess) part).selected) {
                parts.add(0, part);
            }
            JCTree root = ((JCTree.JCFieldAccess) parts.get(0)).selected;
            if (!(root instanceof JCTree.JCIdent)) {
                return false;
            }
            boolean isPlaced = looksLikePackage(root.toString());
            for (int index = 0; index < parts.size() && isPlaced; index++) {
                JCTree.JCFieldAccess part = (JCTree.JCFieldAccess) parts.get(index);
                String name = part.name.toString();
                boolean isType = part == tree && uses.isTypePlace(tree) || looksLikeType(name)
                    || index > 0 && Character.isUpperCase(name.charAt(0));
                if (isType && !(part == tree && isCall)) {
                    return declareIn(part.selected.toString(), name, part);
                }
                isPlaced = looksLikePackage(name);
            }
            String first = root.toString();
            return looksLikeType(first) ? declareSimple(first, root) : noteField(ownerOfBareName(root), first, root);
        }

        private boolean noteCall(Declarations.Declared owner, String name, JCTree tree, JCTree.JCMethodInvocation call) {
            if (owner == null) {
                return false;
            }
            if (owner.kind.equals("@interface")) {
                return false;
            }
            int count = call.args.size();
            boolean isNew = owner.method(name, count) == null;
            Declarations.Member method = declarations.method(owner, name, count);
            boolean isSeenBefore = !isNew && !members.containsKey(method);
            if (isSeenBefore) {
                return false;
            }
            takeArguments(method, call.args);
            if (tree instanceof JCTree.JCFieldAccess) {
                JCTree selected = ((JCTree.JCFieldAccess) tree).selected;
                boolean isSuper = selected.toString().endsWith("super");
                method.isStatic |= !isSuper && TreeInfo.symbol(selected) instanceof Symbol.ClassSymbol && !selected.toString().equals("this");
            }
            members.computeIfAbsent(method, key -> new ArrayList<>()).add(call);
            return true;
        }

        private boolean noteField(Declarations.Declared owner, String name, JCTree tree) {
            if (owner == null) {
                return false;
            }
            boolean isNew = owner.field(name) == null;
            Declarations.Member field = declarations.field(owner, name);
            if (!isNew && !members.containsKey(field)) {
                return false;
            }
            if (tree instanceof JCTree.JCFieldAccess) {
                JCTree selected = ((JCTree.JCFieldAccess) tree).selected;
                field.isStatic |= TreeInfo.symbol(selected) instanceof Symbol.ClassSymbol;
            }
            members.computeIfAbsent(field, key -> new ArrayList<>()).add(tree);
            return true;
        }

        void declare() {
            members.forEach((member, places) -> {
                List<Uses.Want> wants = new ArrayList<>();
                for (JCTree place : places) {
                    wants.add(uses.want(place));
                }
                decide(member, wants);
            });
        }
    }

    /** The declared type that gets a member which a text finds in its own classes or around them. */
    private Declarations.Declared ownerOfBareName(JCTree tree) {
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
    private Declarations.Declared ownerOfMembers(Type site) {
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

    private void takeArguments(Declarations.Member method, List<? extends JCTree> arguments) {
        for (int index = 0; index < arguments.size(); index++) {
            Type type = uses.typeOf(arguments.get(index));
            method.parameters.set(index, joined(method.parameters.get(index), type));
        }
    }

    /** A parameter's type that takes what it took before, and this. */
    private String joined(String old, Type type) {
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

    private void decide(Declarations.Member member, List<Uses.Want> wants) {
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
                : isUnused && member.parameters != null ? "void" : isQuestion && dimensions == 0 ? "boolean" : "java.lang.Object";
            member.isGuessed = !member.type.equals("void");
        }
        for (int index = 0; index < dimensions; index++) {
            member.type += "[]";
        }
        if (member.constant > 0 && !Declarations.isPrimitive(member.type) && !member.type.equals("java.lang.String")) {
            member.type = "int";
        }
    }

    private static String orObject(String type) {
        return type == null ? "java.lang.Object" : type;
    }

    private void decideReceiver(Declarations.Member member, Type chosen, TreeSet<String> called) {
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
    private Type choose(List<Type> bounds, List<Type> values) {
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
    private boolean makeUp(Declarations.Member member, Type parent) {
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

    private boolean isExtensible(Type parent) {
        return parent.getTag() == TypeTag.CLASS && (parent.tsym.flags() & (Flags.FINAL | Flags.ENUM)) == 0
            && uses.text(parent) != null && !uses.isOwn(parent) && hasOpenConstructor(parent);
    }

    private boolean hasOpenConstructor(Type type) {
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
    private boolean extend(Declarations.Declared type, Type parent) {
        String whole = uses.text(parent);
        if (whole == null || whole.startsWith(type.whole() + "<") || whole.equals(type.whole()) || whole.equals("java.lang.Object")) {
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
        if (other != null && other.superclass == null && other.members.keySet().stream().noneMatch(key -> key.startsWith("<init>"))
            && other.members.values().stream().noneMatch(one -> one.parameters == null && !one.isStatic)) {
            other.kind = "interface";
            return type.interfaces.add(whole);
        }
        if (above == null && other != null && other.superclass == null && !descends(other, type) && !type.superclass.equals(other.whole())) {
            other.superclass = type.superclass;
            type.superclass = whole;
            return true;
        }
        return false;
    }

    private boolean descends(Declarations.Declared type, Declarations.Declared from) {
        if (type == null || type == from) {
            return type != null;
        }
        if (type.superclass != null && descends(declarations.find(type.superclass), from)) {
            return true;
        }
        return type.interfaces.stream().anyMatch(one -> descends(declarations.find(one.replaceAll("<.*", "")), from));
    }

    // Types that do not fit are changed.

    private boolean refit(JCDiagnostic error) {
        String code = error.getCode().replace("compiler.err.", "");
        JCTree tree = tree(error);
        if (tree == null) {
            return error.getSource() != uses.unit.getSourceFile() && refitDeclared(code, error);
        }
        switch (code) {
            case "prob.found.req":
            case "incomparable.types": {
                Type[] both = types(error);
                return both != null && fit(tree, both[0], both[1]);
            }
            case "cant.apply.symbol":
            case "cant.apply.symbols":
            case "cant.apply.diamond.1":
                return refitCall(tree);
            case "operator.cant.be.applied":
            case "operator.cant.be.applied.1":
                return refitOperands(tree);
            case "unexpected.type":
                return retype(tree, uses.symbols.intType);
            case "cant.deref":
                return tree instanceof JCTree.JCFieldAccess && renew(((JCTree.JCFieldAccess) tree).selected);
            case "void.not.allowed.here":
            case "illegal.initializer.for.type":
            case "illegal.parenthesized.expression":
                return rewant(tree);
            case "array.req.but.found":
                return tree instanceof JCTree.JCArrayAccess && rewant(((JCTree.JCArrayAccess) tree).indexed);
            case "foreach.not.applicable.to.type":
                return iterate(tree) || rewant(tree);
            case "type.doesnt.take.params":
            case "wrong.number.type.args": {
                JCTree apply = tree instanceof JCTree.JCTypeApply ? tree : uses.parent(tree);
                Declarations.Declared type = apply instanceof JCTree.JCTypeApply
                    ? uses.declared(uses.typeOf(((JCTree.JCTypeApply) apply).clazz)) : null;
                int count = type == null ? 0 : ((JCTree.JCTypeApply) apply).arguments.size();
                if (type == null || type.parameters == count) {
                    return type == null && apply instanceof JCTree.JCTypeApply
                        && doubts(uses.typeOf(((JCTree.JCTypeApply) apply).clazz));
                }
                type.parameters = Math.max(count, 1);
                return true;
            }
            case "non-static.cant.be.ref":
                return makeStatic(tree);
            case "abstract.cant.be.instantiated": {
                Declarations.Declared type = uses.declared(symbolType(error));
                if (type == null) {
                    return doubts(symbolType(error));
                }
                type.kind = "class";
                return true;
            }
            case "intf.expected.here":
            case "no.intf.expected.here": {
                Declarations.Declared type = uses.declared(uses.typeOf(tree));
                if (type == null) {
                    return doubts(uses.typeOf(tree));
                }
                String kind = code.equals("intf.expected.here") ? "interface" : "class";
                boolean isNew = !type.kind.equals(kind);
                type.kind = kind;
                return isNew;
            }
            case "method.does.not.override.superclass":
                return override(tree);
            case "not.annotation.type": {
                Declarations.Declared type = uses.declared(uses.typeOf(tree));
                boolean isNew = type != null && !type.kind.equals("@interface");
                if (isNew) {
                    type.kind = "@interface";
                }
                return isNew;
            }
            case "override.meth.doesnt.throw":
            case "override.meth":
            case "override.incompatible.ret":
            case "override.weaker.access":
            case "override.static":
                return align(tree);
            case "does.not.override.abstract":
                return false;
            case "attribute.value.must.be.constant":
            case "const.expr.req":
            case "string.const.req": {
                Declarations.Member member = uses.member(tree);
                if (member == null || member.parameters != null || member.constant > 0) {
                    return false;
                }
                decide(member, List.of(uses.want(tree)));
                declarations.constant(member);
                return true;
            }
            case "ref.ambiguous":
                return disambiguate(error) || settle(tree);
            case "report.access":
            case "not.def.public.cant.access":
                return reachAgain(tree);
            case "not.def.access.class.intf.cant.access":
                return tree instanceof JCTree.JCFieldAccess && doubtsAlong(((JCTree.JCFieldAccess) tree).selected);
            default:
                return false;
        }
    }

    private static Type symbolType(JCDiagnostic error) {
        for (Object argument : error.getArgs()) {
            if (argument instanceof Symbol.ClassSymbol) {
                return ((Symbol.ClassSymbol) argument).type;
            }
        }
        return null;
    }

    /** The type that was found and the one that was asked for. */
    private static Type[] types(JCDiagnostic error) {
        Object[] arguments = error.getArgs();
        if (arguments.length >= 2 && arguments[0] instanceof Type && arguments[1] instanceof Type) {
            return new Type[] {(Type) arguments[0], (Type) arguments[1]};
        }
        for (Object argument : arguments) {
            if (argument instanceof JCDiagnostic) {
                Type[] inner = types((JCDiagnostic) argument);
                if (inner != null) {
                    return inner;
                }
            }
        }
        return null;
    }

    /** Makes an expression of one type fit where another one is asked for. */
    private boolean fit(JCTree tree, Type found, Type wanted) {
        JCTree bare = TreeInfo.skipParens(tree);
        if (bare instanceof JCTree.JCBinary && (bare.getTag() == JCTree.Tag.EQ || bare.getTag() == JCTree.Tag.NE)) {
            JCTree.JCBinary binary = (JCTree.JCBinary) bare;
            return retype(binary.lhs, wanted) || retype(binary.rhs, found) || relate(found, wanted) || relate(wanted, found);
        }
        if (bare instanceof JCTree.JCConditional) {
            JCTree.JCConditional choice = (JCTree.JCConditional) bare;
            return retype(choice.truepart, wanted) | retype(choice.falsepart, wanted);
        }
        if (bare instanceof JCTree.JCBinary) {
            return retype(((JCTree.JCBinary) bare).lhs, wanted) | retype(((JCTree.JCBinary) bare).rhs, wanted);
        }
        Declarations.Declared type = uses.declared(found);
        Declarations.Member member = uses.member(bare);
        if (uses.user(bare) instanceof JCTree.JCEnhancedForLoop) {
            // The element of a loop does not fit its variable.
            return member != null ? rewant(bare) : relate(found, wanted) || doubtsOne(found, wanted);
        }
        boolean isCast = uses.user(bare) instanceof JCTree.JCTypeCast || uses.user(bare) instanceof JCTree.JCInstanceOf;
        boolean isBare = type != null && type.superclass == null && type.kind.equals("class")
            && type.members.values().stream().noneMatch(one -> one.isConstructor() || one.parameters == null);
        if (isCast && isBare && uses.declared(wanted) == null && !wanted.isPrimitive() && !wanted.tsym.isInterface()
            && (wanted.tsym.flags() & Flags.FINAL) == 0) {
            // An interface may be what any class implements that is not final.
            type.kind = "interface";
            return true;
        }
        if (isCast && member != null && !member.isConstructor() && (type == null || type.madeUpFor != null && !isExtensible(wanted))) {
            member.type = "java.lang.Object";
            return ++member.changes < 4;
        }
        if (type != null && type.madeUpFor != null && type.madeUpFor == member && uses.declared(wanted) == null
            && type.members.values().stream().allMatch(one -> wanted.getTag() == TypeTag.CLASS && uses.hasMember(wanted, one.name))) {
            return retype(bare, wanted);
        }
        return isCast && relate(wanted, found) || relate(found, wanted) || retype(bare, wanted)
            || relateArguments(found, wanted) || doubtsOne(found, wanted);
    }

    private boolean relate(Type found, Type wanted) {
        Declarations.Declared type = uses.declared(found);
        return type != null && Uses.isKnown(wanted) && !wanted.isPrimitive() && wanted.getTag() == TypeTag.CLASS
            && !uses.types.isSubtype(uses.types.erasure(found), uses.types.erasure(wanted)) && extend(type, wanted);
    }

    /** Makes what two types are made of fit: the elements of arrays, the arguments of generic types. */
    private boolean relateArguments(Type found, Type wanted) {
        if (!Uses.isKnown(found) || !Uses.isKnown(wanted)) {
            return false;
        }
        if (found.getTag() == TypeTag.ARRAY && wanted.getTag() == TypeTag.ARRAY) {
            return relate(uses.types.elemtype(found), uses.types.elemtype(wanted));
        }
        boolean isChanged = false;
        Type above = found.getTag() == TypeTag.CLASS && wanted.tsym != null ? uses.types.asSuper(found, wanted.tsym) : null;
        if (above != null && above.getTypeArguments().size() == wanted.getTypeArguments().size()) {
            for (int index = 0; index < wanted.getTypeArguments().size(); index++) {
                Type bound = wanted.getTypeArguments().get(index);
                Type argument = above.getTypeArguments().get(index);
                Type upper = bound.getTag() == TypeTag.WILDCARD ? ((Type.WildcardType) bound).type : bound;
                isChanged |= relate(argument, upper) || doubts(upper) || doubts(argument);
            }
        }
        return isChanged;
    }

    /** Gives the member that an expression is about another type. */
    private boolean retype(JCTree tree, Type wanted) {
        JCTree bare = TreeInfo.skipParens(tree);
        String suffix = "";
        while (bare instanceof JCTree.JCArrayAccess) {
            bare = TreeInfo.skipParens(((JCTree.JCArrayAccess) bare).indexed);
            suffix += "[]";
        }
        Declarations.Member member = uses.member(bare);
        if (member == null || member.isConstructor() || member.isFixed || !Uses.isKnown(wanted)) {
            return false;
        }
        String next = uses.text(wanted);
        boolean isSame = next != null && (next + suffix).equals(member.type);
        if (isSame) {
            return false;
        }
        member.changes++;
        if (next == null || member.changes > 4) {
            boolean isNew = !member.isGeneric && member.parameters != null;
            member.isGeneric |= isNew;
            return isNew;
        }
        member.type = next + suffix;
        member.isGuessed = false;
        return true;
    }

    /** Gives the member that an expression is about the type that its place asks for. */
    private boolean rewant(JCTree tree) {
        JCTree bare = TreeInfo.skipParens(tree);
        Declarations.Member member = uses.member(bare);
        if (member == null) {
            return false;
        }
        String old = member.type;
        decide(member, List.of(uses.want(bare)));
        if (member.type.equals("void")) {
            member.type = "java.lang.Object";
        }
        return !member.type.equals(old) && ++member.changes < 6;
    }

    /** Lets a declared type be gone through by a loop. */
    private boolean iterate(JCTree tree) {
        Declarations.Declared type = uses.declared(typeIn(tree));
        Uses.Want want = uses.want(tree);
        return type != null && want.upper != null
            && type.interfaces.add("java.lang.Iterable<" + orObject(uses.text(uses.types.boxedTypeOrType(want.upper))) + ">");
    }

    /** The type of an expression, also where the compiler has found it wrong. */
    private Type typeIn(JCTree tree) {
        Type type = uses.typeOf(tree);
        Symbol symbol = TreeInfo.symbol(TreeInfo.skipParens(tree));
        return Uses.isKnown(type) || symbol == null ? type : symbol.type;
    }

    private boolean renew(JCTree tree) {
        Declarations.Member member = uses.member(tree);
        return member != null && makeUp(member, null);
    }

    private boolean refitCall(JCTree tree) {
        JCTree parent = uses.parent(tree);
        if (tree instanceof JCTree.JCNewClass) {
            JCTree.JCNewClass call = (JCTree.JCNewClass) tree;
            Type site = uses.typeOf(call.clazz);
            return widen(tree, site, "<init>", call.args) || adapt(call.args, uses.constructors(call)) || doubts(site);
        }
        JCTree.JCMethodInvocation call = tree instanceof JCTree.JCMethodInvocation ? (JCTree.JCMethodInvocation) tree
            : parent instanceof JCTree.JCMethodInvocation ? (JCTree.JCMethodInvocation) parent : null;
        if (call == null) {
            return false;
        }
        JCTree method = TreeInfo.skipParens(call.meth);
        String name = method instanceof JCTree.JCFieldAccess ? ((JCTree.JCFieldAccess) method).name.toString()
            : method.toString();
        if (name.equals("super") || name.equals("this")) {
            JCTree.JCClassDecl around = uses.around(call, JCTree.JCClassDecl.class);
            Type above = around == null || around.sym == null ? null : uses.types.supertype(around.sym.type);
            return name.equals("super") && widen(tree, above, "<init>", call.args);
        }
        if (method instanceof JCTree.JCFieldAccess) {
            JCTree selected = ((JCTree.JCFieldAccess) method).selected;
            Type site = uses.typeOf(selected);
            Declarations.Member receiver = uses.member(selected);
            return widen(tree, site, name, call.args) || adapt(call.args, uses.candidates(call))
                || receiver != null && receiver.isGuessed && makeUp(receiver, null) || doubtsAlong(selected);
        }
        // A method of the text with other parameters: the one that is meant is lacking.
        return adapt(call.args, uses.candidates(call)) || widenIn(ownerOfBareName(tree), call, name, call.args);
    }

    private boolean widen(JCTree tree, Type site, String name, List<? extends JCTree> arguments) {
        JCTree parent = uses.parent(tree);
        JCTree call = tree instanceof JCTree.JCNewClass || tree instanceof JCTree.JCMethodInvocation ? tree : parent;
        Declarations.Declared owner = name.equals("<init>") ? uses.declared(site) : ownerOfMembers(site);
        return widenIn(owner, call, name, arguments);
    }

    private boolean widenIn(Declarations.Declared owner, JCTree call, String name, List<? extends JCTree> arguments) {
        if (owner == null) {
            return false;
        }
        Declarations.Member known = owner.method(name, arguments.size());
        boolean isNew = known == null || known.isFixed;
        Declarations.Member method = declarations.method(owner, name, arguments.size());
        List<String> old = new ArrayList<>(method.parameters);
        takeArguments(method, arguments);
        if (isNew && !name.equals("<init>")) {
            decide(method, List.of(uses.want(call)));
            method.isStatic = owner.members.values().stream().anyMatch(one -> one.isStatic && one.name.equals(name) && one != method);
        }
        return isNew || !old.equals(method.parameters) && !method.isFixed;
    }

    /** Makes arguments fit a method of the library. */
    private boolean adapt(List<? extends JCTree> arguments, List<Type> candidates) {
        List<Type> best = null;
        int fewest = Integer.MAX_VALUE;
        for (Type candidate : candidates) {
            List<Type> parameters = uses.parameters(candidate, arguments.size());
            if (parameters == null) {
                continue;
            }
            int changes = 0;
            for (int index = 0; index < arguments.size() && changes < fewest; index++) {
                changes += price(arguments.get(index), parameters.get(index));
            }
            if (changes > 0 && changes < 1000 && changes < fewest) {
                fewest = changes;
                best = parameters;
            }
        }
        boolean isChanged = false;
        for (int index = 0; best != null && index < arguments.size(); index++) {
            Type type = uses.typeOf(arguments.get(index));
            if (Uses.isKnown(type) && !uses.types.isAssignable(type, best.get(index))) {
                isChanged |= adapt(arguments.get(index), type, best.get(index));
            }
        }
        return isChanged;
    }

    /** How far an argument is from a parameter: nothing if it fits, a thousand if it cannot be made to. */
    private int price(JCTree argument, Type parameter) {
        Type type = uses.typeOf(argument);
        if (!Uses.isKnown(type) || uses.types.isAssignable(type, parameter)) {
            return 0;
        }
        Declarations.Declared declared = uses.declared(type);
        boolean isMember = uses.member(argument) != null && !uses.member(argument).isConstructor();
        if (declared != null && (isMember || isExtensible(parameter))) {
            boolean hasAll = declared.members.values().stream().allMatch(one -> uses.hasMember(parameter, one.name));
            return hasAll ? 1 : isExtensible(parameter) ? 2 : 5;
        }
        boolean isUsual = uses.types.isSameType(parameter, uses.symbols.stringType) || parameter.isPrimitive() && type.isPrimitive();
        return isMember ? isUsual ? 1 : 2 : 1000;
    }

    private boolean adapt(JCTree argument, Type found, Type wanted) {
        Declarations.Declared type = uses.declared(found);
        boolean isReplaced = type != null && type.madeUpFor != null && type.madeUpFor == uses.member(argument)
            && type.members.values().stream().allMatch(one -> uses.hasMember(wanted, one.name));
        return isReplaced && retype(argument, wanted) || relate(found, wanted) || retype(argument, wanted)
            || relateArguments(found, wanted);
    }

    private boolean refitOperands(JCTree tree) {
        boolean isChanged = false;
        List<JCTree> operands = new ArrayList<>();
        if (tree instanceof JCTree.JCBinary) {
            operands.add(((JCTree.JCBinary) tree).lhs);
            operands.add(((JCTree.JCBinary) tree).rhs);
        } else if (tree instanceof JCTree.JCUnary) {
            operands.add(((JCTree.JCUnary) tree).arg);
        } else if (tree instanceof JCTree.JCAssignOp) {
            operands.add(((JCTree.JCAssignOp) tree).lhs);
            operands.add(((JCTree.JCAssignOp) tree).rhs);
        }
        for (JCTree operand : operands) {
            Type type = uses.typeOf(operand);
            boolean isWrong = type != null && (!type.isPrimitive() || tree instanceof JCTree.JCUnary
                || type.getTag() == TypeTag.VOID || type.getTag() == TypeTag.BOOLEAN);
            Type wanted = uses.want(operand).upper;
            if (wanted != null && !wanted.isPrimitive() && !uses.types.isSameType(wanted, uses.symbols.stringType)) {
                wanted = uses.symbols.intType;
            }
            isChanged |= isWrong && retype(operand, wanted == null ? uses.symbols.intType : wanted);
        }
        return isChanged;
    }

    private boolean makeStatic(JCTree tree) {
        Declarations.Member member = uses.member(tree);
        JCTree parent = uses.parent(tree);
        if (member == null && tree instanceof JCTree.JCIdent || tree instanceof JCTree.JCFieldAccess && member == null) {
            String name = tree instanceof JCTree.JCIdent ? ((JCTree.JCIdent) tree).name.toString() : ((JCTree.JCFieldAccess) tree).name.toString();
            Declarations.Declared owner = tree instanceof JCTree.JCIdent ? ownerOfBareName(tree)
                : ownerOfMembers(uses.typeOf(((JCTree.JCFieldAccess) tree).selected));
            boolean isCall = parent instanceof JCTree.JCMethodInvocation && ((JCTree.JCMethodInvocation) parent).meth == tree;
            member = owner == null ? null
                : isCall ? owner.method(name, ((JCTree.JCMethodInvocation) parent).args.size()) : owner.field(name);
        }
        if (member == null || member.isStatic) {
            return false;
        }
        member.isStatic = true;
        return true;
    }

    /** A method that says that it overrides one: that one is lacking. */
    private boolean override(JCTree tree) {
        JCTree.JCMethodDecl method = tree instanceof JCTree.JCMethodDecl ? (JCTree.JCMethodDecl) tree
            : uses.around(tree, JCTree.JCMethodDecl.class);
        JCTree.JCClassDecl around = method == null ? null : uses.around(method, JCTree.JCClassDecl.class);
        Declarations.Declared owner = around == null || around.sym == null ? null : ownerOfMembers(around.sym.type);
        if (owner == null) {
            if (around != null && around.sym != null) {
                for (Type one : uses.types.closure(around.sym.type)) {
                    if (doubts(one)) {
                        return true;
                    }
                }
            }
            return false;
        }
        return copy(declarations.overridden(owner, method.name.toString(), method.params.size()), method);
    }

    /** Gives a declared method the head of a method of the text that overrides it. */
    private boolean copy(Declarations.Member member, JCTree.JCMethodDecl method) {
        String old = member.parameters + member.type + member.access + member.isStatic + member.thrown + member.isGeneric;
        member.parameters.clear();
        for (JCTree.JCVariableDecl parameter : method.params) {
            String type = orObject(uses.text(uses.types.erasure(parameter.vartype.type)));
            member.parameters.add(type);
        }
        Type result = method.restype == null ? null : method.restype.type;
        member.isGeneric = false;
        member.type = result != null && result.getTag() == TypeTag.VOID ? "void" : orObject(uses.text(result));
        boolean isPublic = (method.mods.flags & Flags.PUBLIC) != 0 || member.owner.kind.equals("interface");
        member.access = isPublic ? "public" : (method.mods.flags & Flags.PROTECTED) != 0 ? "protected" : "";
        member.isStatic = (method.mods.flags & Flags.STATIC) != 0;
        member.isFixed = true;
        for (JCTree.JCExpression thrown : method.thrown) {
            String type = uses.text(thrown.type);
            if (type != null) {
                member.thrown.add(type);
            }
        }
        return !old.equals(member.parameters + member.type + member.access + member.isStatic + member.thrown + member.isGeneric);
    }

    private boolean align(JCTree tree) {
        JCTree.JCMethodDecl method = tree instanceof JCTree.JCMethodDecl ? (JCTree.JCMethodDecl) tree
            : uses.around(tree, JCTree.JCMethodDecl.class);
        JCTree.JCClassDecl around = method == null ? null : uses.around(method, JCTree.JCClassDecl.class);
        if (around == null || around.sym == null) {
            return false;
        }
        for (Type one : uses.types.closure(around.sym.type)) {
            Declarations.Declared owner = uses.declared(one);
            Declarations.Member member = owner == null ? null : owner.method(method.name.toString(), method.params.size());
            if (member != null) {
                return copy(member, method);
            }
        }
        return false;
    }

    /** Two star imports have a class of this name. */
    private boolean disambiguate(JCDiagnostic error) {
        for (Object argument : error.getArgs()) {
            if (argument instanceof Symbol.ClassSymbol && isFragment) {
                String name = ((Symbol.ClassSymbol) argument).name.toString();
                library = library == null ? new Library() : library;
                String whole = library.find(name);
                return whole != null && !notOfLibrary.contains(name) && imports.add(whole);
            }
        }
        return false;
    }

    /** Arguments that may be anything fit more than one method. */
    private boolean settle(JCTree tree) {
        JCTree parent = uses.parent(tree);
        List<JCTree.JCExpression> arguments = tree instanceof JCTree.JCNewClass ? ((JCTree.JCNewClass) tree).args
            : parent instanceof JCTree.JCMethodInvocation ? ((JCTree.JCMethodInvocation) parent).args : List.of();
        boolean isChanged = false;
        for (JCTree argument : arguments) {
            Declarations.Member member = uses.member(argument);
            if (member != null && member.isGeneric) {
                member.isGeneric = false;
                member.type = "java.lang.String";
                isChanged = true;
            }
        }
        return isChanged;
    }

    /** A member that is there, but not for this text: a declared type gets one of its own. */
    private boolean reachAgain(JCTree tree) {
        if (tree instanceof JCTree.JCNewClass) {
            JCTree.JCNewClass call = (JCTree.JCNewClass) tree;
            return widen(tree, uses.typeOf(call.clazz), "<init>", call.args);
        }
        if (!(tree instanceof JCTree.JCFieldAccess)) {
            return false;
        }
        JCTree.JCFieldAccess access = (JCTree.JCFieldAccess) tree;
        Declarations.Declared owner = uses.declared(uses.typeOf(access.selected));
        JCTree parent = uses.parent(tree);
        if (owner == null) {
            Declarations.Member receiver = uses.member(access.selected);
            return receiver != null && receiver.isGuessed ? makeUp(receiver, null) : doubtsAlong(access.selected);
        }
        boolean isCall = parent instanceof JCTree.JCMethodInvocation && ((JCTree.JCMethodInvocation) parent).meth == tree;
        if (!isCall || owner.method(access.name.toString(), ((JCTree.JCMethodInvocation) parent).args.size()) != null) {
            return false;
        }
        List<JCTree.JCExpression> arguments = ((JCTree.JCMethodInvocation) parent).args;
        Declarations.Member method = declarations.method(owner, access.name.toString(), arguments.size());
        takeArguments(method, arguments);
        decide(method, List.of(uses.want(parent)));
        if (method.name.equals("clone") && method.type.equals("void")) {
            method.type = "java.lang.Object";
        }
        return true;
    }

    /** What is wrong with the declarations themselves: a class that does not do all that its interfaces ask for. */
    private boolean refitDeclared(String code, JCDiagnostic error) {
        Type type = symbolType(error);
        Declarations.Declared owner = uses.declared(type);
        if (code.equals("does.not.override.abstract") && owner != null) {
            for (Object argument : error.getArgs()) {
                if (argument instanceof Symbol.MethodSymbol) {
                    return implement(owner, type, (Symbol.MethodSymbol) argument);
                }
            }
        }
        for (Declarations.Declared one : mayDoubt ? declarations.types.values() : List.<Declarations.Declared>of()) {
            // A class of the library that cannot be extended like this is not the one that is meant.
            if (one.superclass != null && imports.remove(one.superclass)) {
                notOfLibrary.add(one.superclass.substring(one.superclass.lastIndexOf('.') + 1));
                isRestarted = true;
                return true;
            }
        }
        return false;
    }

    private boolean implement(Declarations.Declared owner, Type type, Symbol.MethodSymbol method) {
        // The parameters of an interface without arguments of its own are those of its erasure.
        Type erased = uses.types.memberType(type, method);
        Declarations.Member member = declarations.method(owner, method.name.toString(), method.params().size());
        if (member.isFixed) {
            return false;
        }
        member.parameters.clear();
        for (Type parameter : erased.getParameterTypes()) {
            member.parameters.add(orObject(uses.text(uses.types.erasure(parameter))));
        }
        Type result = erased.getReturnType();
        member.type = result.getTag() == TypeTag.VOID ? "void" : orObject(uses.text(result));
        member.access = "public";
        member.isStatic = false;
        member.isFixed = true;
        return true;
    }

    // Exceptions.

    private boolean reflow(JCDiagnostic error) {
        JCTree tree = tree(error);
        String code = error.getCode().replace("compiler.err.", "");
        Type thrown = error.getArgs().length > 0 && error.getArgs()[0] instanceof Type ? (Type) error.getArgs()[0] : null;
        if (tree == null || thrown == null) {
            return false;
        }
        switch (code) {
            case "except.never.thrown.in.try":
                return throwInside(tree, thrown);
            case "unreported.exception.need.to.catch.or.throw":
            case "unreported.exception.implicit.close":
            case "unreported.exception.default.constructor":
                return throwNoMore(tree, thrown);
            default:
                return false;
        }
    }

    /** Lets a declared method that is called in a try block throw what is caught there. */
    private boolean throwInside(JCTree tree, Type thrown) {
        JCTree.JCTry around = tree instanceof JCTree.JCTry ? (JCTree.JCTry) tree : uses.around(tree, JCTree.JCTry.class);
        String whole = uses.text(thrown);
        if (around == null || whole == null) {
            return false;
        }
        List<Declarations.Member> called = new ArrayList<>();
        TreeScanner scanner = new TreeScanner() {
            @Override
            public void visitClassDef(JCTree.JCClassDecl inner) {
            }

            @Override
            public void visitLambda(JCTree.JCLambda inner) {
            }

            @Override
            public void visitApply(JCTree.JCMethodInvocation call) {
                super.visitApply(call);
                add(uses.member(call));
            }

            @Override
            public void visitNewClass(JCTree.JCNewClass call) {
                super.visitNewClass(call);
                Declarations.Declared type = uses.declared(uses.typeOf(call.clazz));
                if (type != null && !type.kind.equals("interface")) {
                    add(declarations.method(type, "<init>", call.args.size()));
                }
            }

            private void add(Declarations.Member member) {
                boolean isNamed = member != null && (whole.contains(".") || member.owner.place.isEmpty());
                if (isNamed && !member.neverThrown.contains(whole) && !member.thrown.contains(whole)) {
                    called.add(member);
                }
            }
        };
        scanner.scan(around.resources);
        scanner.scan(around.body);
        if (!called.isEmpty()) {
            called.get(0).thrown.add(whole);
            return true;
        }
        return makeUnchecked(uses.declared(thrown));
    }

    private boolean throwNoMore(JCTree tree, Type thrown) {
        String whole = uses.text(thrown);
        JCTree parent = uses.parent(tree);
        Declarations.Member member = uses.member(tree);
        member = member == null && parent != null ? uses.member(parent) : member;
        if (member != null && member.thrown.remove(whole)) {
            member.neverThrown.add(whole);
            return true;
        }
        if (tree instanceof JCTree.JCNewClass || parent instanceof JCTree.JCNewClass) {
            JCTree.JCNewClass call = (JCTree.JCNewClass) (tree instanceof JCTree.JCNewClass ? tree : parent);
            Declarations.Declared type = uses.declared(uses.typeOf(call.clazz));
            Declarations.Member constructor = type == null ? null : type.method("<init>", call.args.size());
            if (constructor != null && constructor.thrown.remove(whole)) {
                constructor.neverThrown.add(whole);
                return true;
            }
        }
        return makeUnchecked(uses.declared(thrown));
    }

    private static boolean makeUnchecked(Declarations.Declared exception) {
        if (exception == null || !"java.lang.Exception".equals(exception.superclass)) {
            return false;
        }
        exception.superclass = "java.lang.RuntimeException";
        return true;
    }
}
