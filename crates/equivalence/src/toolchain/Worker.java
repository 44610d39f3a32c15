import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.api.JavacTaskPool;
import com.sun.tools.javac.api.JavacTool;
import com.sun.tools.javac.tree.JCTree;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardLocation;

/**
 * Checks and compiles Java programs in one warm virtual machine. It never executes them: a program could forge answers.
 *
 * A message is a number of fields, and each field a length and its bytes. Questions: ["check", source, declarations…],
 * ["compile", source], or ["repair", text, milliseconds, before, after, (before, after)…] with the scaffolds that the text is
 * tried in. Answers: ["passes"], ["compiled", class with the main method, (class, code)…], ["rejected", diagnostics], or
 * ["repaired", before, after, declarations…].
 */
public final class Worker {
    private static final List<String> OPTIONS =
        List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-Xlint:none", "-nowarn");

    /** A call that does not fit is told as such, and not as its first argument that does not. */
    private static final List<String> ROUND_OPTIONS =
        List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-Xlint:none", "-nowarn", "-Xdiags:verbose");

    private final JavacTool tool = JavacTool.create();
    private JavacTaskPool pool = new JavacTaskPool(1);
    // Packages that were declared once are there for good, so a compiler that has seen declarations only sees these again.
    private JavacTaskPool declaredPool = new JavacTaskPool(1);
    private List<String> declared = List.of();
    // The pool keeps the file manager of its first task, so there is one for all.
    private final Memory memory = new Memory(tool.getStandardFileManager(null, null, StandardCharsets.UTF_8));

    public static void main(String[] arguments) throws Exception {
        DataInputStream questions = new DataInputStream(System.in);
        DataOutputStream answers = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        Worker worker = new Worker();
        while (true) {
            List<byte[]> question;
            try {
                question = read(questions);
            } catch (EOFException end) {
                Runtime.getRuntime().halt(0);
                return;
            }
            List<byte[]> answer = new ArrayList<>();
            worker.answer(question, answer);
            write(answers, answer);
        }
    }

    private static List<byte[]> read(DataInputStream in) throws IOException {
        int count = in.readInt();
        List<byte[]> fields = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            byte[] field = new byte[in.readInt()];
            in.readFully(field);
            fields.add(field);
        }
        return fields;
    }

    private static void write(DataOutputStream out, List<byte[]> fields) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        DataOutputStream message = new DataOutputStream(whole);
        message.writeInt(fields.size());
        for (byte[] field : fields) {
            message.writeInt(field.length);
            message.write(field);
        }
        out.write(whole.toByteArray());
        out.flush();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void answer(List<byte[]> question, List<byte[]> answer) {
        boolean isCompiled = text(question.get(0)).equals("compile");
        memory.classes.clear();
        if (text(question.get(0)).equals("repair")) {
            repair(question, answer);
            return;
        }
        List<String> sources = new ArrayList<>();
        for (byte[] source : question.subList(1, question.size())) {
            sources.add(text(source));
        }
        String problem = compile(sources, isCompiled);
        if (problem != null) {
            answer.add(bytes("rejected"));
            answer.add(bytes(problem));
            return;
        }
        if (!isCompiled) {
            answer.add(bytes("passes"));
            return;
        }
        String main = mainClass(memory.classes);
        answer.add(bytes("compiled"));
        answer.add(bytes(main == null ? "" : main));
        for (Map.Entry<String, ByteArrayOutputStream> written : memory.classes.entrySet()) {
            answer.add(bytes(written.getKey()));
            answer.add(written.getValue().toByteArray());
        }
    }

    /** Looks for declarations with which a text is accepted. A new compiler, which has seen none of them, has the last word. */
    private void repair(List<byte[]> question, List<byte[]> answer) {
        List<String[]> scaffolds = new ArrayList<>();
        for (int next = 3; next + 1 < question.size(); next += 2) {
            scaffolds.add(new String[] {text(question.get(next)), text(question.get(next + 1))});
        }
        Repair repair = new Repair(new Rounds(), text(question.get(1)), Long.parseLong(text(question.get(2))));
        String problem;
        try {
            problem = repair.succeeds(scaffolds) ? null : repair.problem();
        } catch (StackOverflowError | OutOfMemoryError | RuntimeException | AssertionError crash) {
            endWithoutMemory(crash);
            problem = "the compiler crashed: " + crash;
        }
        List<String> sources = new ArrayList<>();
        if (problem == null) {
            sources.add(repair.before() + text(question.get(1)) + repair.after());
            sources.addAll(repair.declared());
            problem = compileAnew(sources, false);
        }
        if (problem != null) {
            answer.add(bytes("rejected"));
            answer.add(bytes(problem));
            return;
        }
        answer.add(bytes("repaired"));
        answer.add(bytes(repair.before()));
        answer.add(bytes(repair.after()));
        for (String source : sources.subList(1, sources.size())) {
            answer.add(bytes(source));
        }
    }

    /** Compiles for a repair, with a compiler that has seen nothing but earlier rounds. */
    private final class Rounds implements Repair.Compiler {
        private JavacTaskPool rounds = new JavacTaskPool(1);

        @Override
        public void compile(List<String> sources, boolean isParsedOnly, Repair.Listener listener) {
            DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
            rounds.getTask(null, memory, diagnostics, ROUND_OPTIONS, null, files(sources), task -> {
                try {
                    CompilationUnitTree first = ((JavacTask) task).parse().iterator().next();
                    if (!isParsedOnly) {
                        ((JavacTask) task).analyze();
                    }
                    listener.done((BasicJavacTask) task, (JCTree.JCCompilationUnit) first, diagnostics.getDiagnostics());
                } catch (IOException error) {
                    throw new IllegalStateException(error);
                }
                return null;
            });
        }

        @Override
        public void forget() {
            rounds = new JavacTaskPool(1);
        }
    }

    private static List<Source> files(List<String> sources) {
        List<Source> files = new ArrayList<>();
        for (String source : sources) {
            files.add(new Source(source, files.size()));
        }
        return files;
    }

    /** Compiles sources and gives the errors, or null. */
    private String compile(List<String> sources, boolean isCodeNeeded) {
        // A compiler that has seen other sources sometimes trips over records and sealed types: what it does not like is
        // shown to a new one, which has the last word. The code that it makes is sometimes wrong, too, and not asked for.
        if (!isCodeNeeded && checkWarm(sources) == null) {
            return null;
        }
        return compileAnew(sources, isCodeNeeded);
    }

    /** A compiler that ran out of memory says nothing about a text: this process ends, and a new one is asked. */
    private static void endWithoutMemory(Throwable crash) {
        for (Throwable cause = crash; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError) {
                Runtime.getRuntime().halt(1);
            }
        }
    }

    private String compileAnew(List<String> sources, boolean isCodeNeeded) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try {
            JavacTask task = (JavacTask) tool.getTask(null, memory, diagnostics, OPTIONS, null, files(sources));
            work(task, diagnostics, isCodeNeeded);
        } catch (StackOverflowError | OutOfMemoryError | RuntimeException | AssertionError crash) {
            endWithoutMemory(crash);
            return "the compiler crashed: " + crash;
        }
        return told(diagnostics);
    }

    private String checkWarm(List<String> sources) {
        List<String> declarations = sources.subList(1, sources.size());
        if (!declarations.isEmpty() && !declarations.equals(declared)) {
            declaredPool = new JavacTaskPool(1);
            declared = new ArrayList<>(declarations);
        }
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        String problem;
        try {
            JavacTaskPool warm = declarations.isEmpty() ? pool : declaredPool;
            warm.getTask(null, memory, diagnostics, OPTIONS, null, files(sources), task -> {
                work((JavacTask) task, diagnostics, false);
                return null;
            });
            problem = told(diagnostics);
        } catch (StackOverflowError | OutOfMemoryError | RuntimeException | AssertionError crash) {
            endWithoutMemory(crash);
            problem = "the compiler crashed: " + crash;
        }
        if (problem != null && declarations.isEmpty()) {
            pool = new JavacTaskPool(1);
        } else if (problem != null) {
            declaredPool = new JavacTaskPool(1);
        }
        return problem;
    }

    private static void work(JavacTask task, DiagnosticCollector<JavaFileObject> diagnostics, boolean isCodeNeeded) {
        try {
            task.parse();
            if (hasErrors(diagnostics)) {
                return;
            }
            task.analyze();
            if (isCodeNeeded && !hasErrors(diagnostics)) {
                task.generate();
            }
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The errors among what was reported, or null. */
    private static String told(DiagnosticCollector<JavaFileObject> diagnostics) {
        if (!hasErrors(diagnostics)) {
            return null;
        }
        StringBuilder problem = new StringBuilder();
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics.getDiagnostics()) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR && problem.length() < 4000) {
                problem.append("line ").append(diagnostic.getLineNumber()).append(": ");
                problem.append(diagnostic.getMessage(Locale.ROOT).replace('\n', ' ')).append('\n');
            }
        }
        return problem.toString();
    }

    private static boolean hasErrors(DiagnosticCollector<JavaFileObject> diagnostics) {
        return diagnostics.getDiagnostics().stream().anyMatch(one -> one.getKind() == Diagnostic.Kind.ERROR);
    }

    /** A source that may have any public class. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text, int number) {
            super(URI.create("memory:///Source" + (number == 0 ? "" : number) + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        @Override
        public boolean isNameCompatible(String name, Kind kind) {
            return kind == Kind.SOURCE && !name.equals("module-info") && !name.equals("package-info");
        }
    }

    /** Keeps the classes that are written. */
    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, ByteArrayOutputStream> classes = new LinkedHashMap<>();

        Memory(JavaFileManager standard) {
            super(standard);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
            Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream code = new ByteArrayOutputStream();
                    classes.put(name, code);
                    return code;
                }
            };
        }

        @Override
        public boolean hasLocation(Location location) {
            // No class of the worker itself may be seen by what is compiled.
            return location != StandardLocation.CLASS_PATH && super.hasLocation(location);
        }
    }

    /** The class with the program's main method, or null. Classes are only inspected, never initialised. */
    private static String mainClass(Map<String, ByteArrayOutputStream> classes) {
        ClassLoader loader = new ClassLoader(ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                ByteArrayOutputStream code = classes.get(name);
                if (code == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = code.toByteArray();
                return defineClass(name, bytes, 0, bytes.length);
            }
        };
        String main = null;
        for (String name : classes.keySet()) {
            try {
                int modifiers = Class.forName(name, false, loader).getDeclaredMethod("main", String[].class).getModifiers();
                boolean isMain = Modifier.isStatic(modifiers) && Modifier.isPublic(modifiers);
                // Top-level classes take precedence over nested ones.
                boolean isBetter = main == null || main.contains("$") && !name.contains("$");
                if (isMain && isBetter) {
                    main = name;
                }
            } catch (ReflectiveOperationException | LinkageError none) {
                continue;
            }
        }
        return main;
    }
}
