import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.tree.TreeScanner;
import com.sun.tools.javac.util.JCDiagnostic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is lacking in one round: uses of the same name are looked at together. */
final class Lacks {
    private final Map<Declarations.Member, List<JCTree>> members = new LinkedHashMap<>();
    private final Findings findings;
    private final Declarations declarations;
    private final Uses uses;

    Lacks(Findings findings) {
        this.findings = findings;
        this.declarations = findings.declarations;
        this.uses = findings.uses;
    }

    boolean note(JCDiagnostic error) {
        JCTree tree = findings.tree(error);
        if (tree == null) {
            return false;
        }
        if (uses.around(tree, JCTree.JCImport.class) != null || tree instanceof JCTree.JCImport) {
            return noteImport(tree);
        }
        JCTree parent = uses.parent(tree);
        boolean isCall = uses.isCalled(tree);
        if (tree instanceof JCTree.JCIdent) {
            String name = ((JCTree.JCIdent) tree).name.toString();
            if (isCall) {
                return noteCall(findings.ownerOfBareName(tree), name, tree, (JCTree.JCMethodInvocation) parent);
            }
            if (parent instanceof JCTree.JCAssign && uses.parent(parent) instanceof JCTree.JCAnnotation) {
                return noteElement((JCTree.JCAnnotation) uses.parent(parent), name, ((JCTree.JCAssign) parent).rhs);
            }
            boolean isSelected = parent instanceof JCTree.JCFieldAccess;
            boolean isType = uses.isTypePlace(tree) || isSelected && (Findings.looksLikeType(name) || isTypeElsewhere(name));
            return isType ? findings.declareSimple(name, tree) : noteField(findings.ownerOfBareName(tree), name, tree);
        }
        if (tree instanceof JCTree.JCFieldAccess) {
            return noteSelection((JCTree.JCFieldAccess) tree, error, isCall);
        }
        if (tree instanceof JCTree.JCNewClass) {
            JCTree.JCNewClass call = (JCTree.JCNewClass) tree;
            return new Fitting(findings).widen(tree, uses.typeOf(call.clazz), "<init>", call.args);
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
        while (first < last && Findings.looksLikePackage(parts[first])) {
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
                    findings.shape(type, tree);
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
        JCTree first = isList ? ((JCTree.JCNewArray) value).elems.head : value;
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
        Declarations.Declared owner = findings.ownerOfMembers(site);
        if (owner == null) {
            // What was only guessed about the receiver was wrong.
            Declarations.Member receiver = uses.member(tree.selected);
            boolean isLoop = receiver != null && receiver.type.endsWith("[]") && !receiver.isFixed;
            if (isLoop || receiver != null && receiver.isGuessed) {
                return findings.makeUp(receiver, null);
            }
            // Something more special than what its other uses ask for.
            boolean isSpecial = receiver != null && !receiver.isFixed && Uses.isKnown(site) && !site.isPrimitive();
            return isSpecial && findings.isExtensible(site) && findings.makeUp(receiver, site)
                || findings.doubtsAlong(tree.selected);
        }
        if (isCall) {
            return noteCall(owner, name, tree, (JCTree.JCMethodInvocation) uses.parent(tree));
        }
        if (uses.isTypePlace(tree)) {
            findings.shape(declarations.nested(owner, name), tree);
            return true;
        }
        JCTree parent = uses.parent(tree);
        boolean isOnType = selected instanceof Symbol.ClassSymbol;
        if (isOnType && parent instanceof JCTree.JCFieldAccess && Findings.looksLikeType(name)) {
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
        boolean isPlaced = Findings.looksLikePackage(root.toString());
        for (int index = 0; index < parts.size() && isPlaced; index++) {
            JCTree.JCFieldAccess part = (JCTree.JCFieldAccess) parts.get(index);
            String name = part.name.toString();
            boolean isType = part == tree && uses.isTypePlace(tree) || Findings.looksLikeType(name)
                || index > 0 && Character.isUpperCase(name.charAt(0));
            if (isType && !(part == tree && isCall)) {
                return findings.declareIn(part.selected.toString(), name, part);
            }
            isPlaced = Findings.looksLikePackage(name);
        }
        String first = root.toString();
        return Findings.looksLikeType(first) ? findings.declareSimple(first, root)
            : noteField(findings.ownerOfBareName(root), first, root);
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
        findings.takeArguments(method, call.args);
        if (tree instanceof JCTree.JCFieldAccess) {
            JCTree selected = ((JCTree.JCFieldAccess) tree).selected;
            boolean isObject = selected.toString().endsWith("super") || selected.toString().equals("this");
            method.isStatic |= !isObject && TreeInfo.symbol(selected) instanceof Symbol.ClassSymbol;
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
            findings.decide(member, wants);
        });
    }
}
