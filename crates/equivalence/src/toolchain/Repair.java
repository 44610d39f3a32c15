import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.api.ClientCodeWrapper;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeScanner;
import com.sun.tools.javac.util.JCDiagnostic;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;

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

    private final Compiler compiler;
    private final String text;
    private final long end;
    private String before;
    private String after;
    private boolean isFragment;
    private String className;
    private String place;
    private String problem = "nothing was tried";
    private boolean isDone;
    private int rounds;
    private Findings findings;
    private final Map<String, String> kinds = new TreeMap<>();

    Repair(Compiler compiler, String text, long milliseconds) {
        this.compiler = compiler;
        this.text = text;
        this.end = time() + milliseconds * 1_000_000;
    }

    /** The processor's time, so that a busy machine finds what an idle one does. */
    private static long time() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Tries all scaffolds in which the text parses; says whether one was found. */
    boolean succeeds(List<String[]> scaffolds) {
        for (String[] scaffold : scaffolds) {
            before = scaffold[0];
            after = scaffold[1];
            isFragment = before.contains(CLASS);
            className = null;
            if (parses()) {
                findings = new Findings(place, isFragment);
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
        for (String one : findings == null ? List.<String>of() : findings.imports) {
            changed.append("import ").append(one).append("; ");
        }
        String name = className == null ? "Scaffold" : className;
        return changed + before.replace(CLASS, "class " + name + " extends " + Findings.BASE + " {");
    }

    String after() {
        return after;
    }

    List<String> declared() {
        return findings.declarations.sources();
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
            findings.start();
            boolean[] isFirst = {true};
            // A compiler that has seen earlier rounds may be wrong: nothing is given up before a new one has said the same.
            boolean isAnew = false;
            while (!findings.isRestarted) {
                if (++rounds > MOST_ROUNDS || time() > end) {
                    problem = "too much is lacking: " + problem;
                    return false;
                }
                boolean[] isChanged = {false};
                List<String> sources = new ArrayList<>();
                sources.add(before() + text + after);
                sources.addAll(findings.declarations.sources());
                forgetOtherKinds();
                compiler.compile(sources, false, (task, unit, diagnostics) -> {
                    List<JCDiagnostic> errors = errors(diagnostics);
                    isDone = errors.isEmpty();
                    if (!isDone) {
                        findings.uses = new Uses(task.getContext(), unit, findings.declarations);
                        if (isFirst[0]) {
                            findings.shapeAll();
                            isFirst[0] = false;
                        }
                        isChanged[0] = mend(errors);
                    }
                });
                if (isDone) {
                    return true;
                }
                if (!isChanged[0] && !findings.isRestarted) {
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
        for (Declarations.Declared type : findings.declarations.types.values()) {
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

    /** Declares what is lacking, then changes types that do not fit; what flow says makes sense only when all is there. */
    private boolean mend(List<JCDiagnostic> errors) {
        boolean isChanged = false;
        // Only when nothing else helps, a class of the library is taken for another one of the same name.
        for (int attempt = 0; attempt < 2 && !isChanged; attempt++) {
            findings.mayDoubt = attempt == 1;
            isChanged = declareLacks(errors) || refitAll(errors);
        }
        problem = told(errors.get(0));
        Throwing throwing = new Throwing(findings);
        for (int index = 0; index < errors.size() && !isChanged; index++) {
            isChanged = throwing.reflow(errors.get(index));
        }
        return isChanged;
    }

    private boolean declareLacks(List<JCDiagnostic> errors) {
        Lacks lacks = new Lacks(findings);
        boolean isChanged = false;
        for (JCDiagnostic error : errors) {
            isChanged |= isLack(error.getCode()) && !findings.isRestarted && lacks.note(error);
        }
        lacks.declare();
        return isChanged;
    }

    private boolean refitAll(List<JCDiagnostic> errors) {
        Fitting fitting = new Fitting(findings);
        boolean isChanged = false;
        for (JCDiagnostic error : errors) {
            isChanged |= !isLack(error.getCode()) && !findings.isRestarted && fitting.refit(error);
        }
        return isChanged;
    }

    private static boolean isLack(String code) {
        return code.startsWith("compiler.err.cant.resolve") || code.equals("compiler.err.doesnt.exist");
    }
}
