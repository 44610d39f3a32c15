import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeScanner;
import com.sun.tools.javac.util.JCDiagnostic;
import java.util.ArrayList;
import java.util.List;

/** Says which declared methods throw what the text catches, and which exceptions need not be caught. */
final class Throwing {
    private final Findings findings;
    private final Declarations declarations;
    private final Uses uses;

    Throwing(Findings findings) {
        this.findings = findings;
        this.declarations = findings.declarations;
        this.uses = findings.uses;
    }

    boolean reflow(JCDiagnostic error) {
        JCTree tree = findings.tree(error);
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
