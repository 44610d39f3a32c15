import com.sun.source.tree.BreakTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ContinueTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LabeledStatementTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeParameterTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import com.sun.tools.javac.tree.JCTree;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeKind;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * What javac says each name of a program stands for.
 *
 * <p>Reads one JSON object a line, {"text": "..."}, and answers each with one line: {"names": [[start, end, declaration],
 * ...]} in bytes of UTF-8, with -1 for what is declared elsewhere, or {"error": "..."}. Names that javac cannot resolve are
 * left out. A fragment is read inside a class, as members or as statements.
 *
 * <p>java --add-exports jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED Names.java
 */
public class Names {
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);
    private static final Pattern CONSTRUCTOR =
            Pattern.compile("(?m)^\\s*(?:(?:public|protected|private)\\s+)?([A-Za-z_$][\\w$]*)\\s*\\([^()]*\\)[^;{]*\\{");

    public static void main(String[] arguments) throws Exception {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String answer;
            try {
                answer = answer(text(line));
            } catch (Throwable problem) {
                answer = "{\"error\": \"" + String.valueOf(problem).replaceAll("[^\\w .:]", " ") + "\"}";
            }
            answers.println(answer);
            answers.flush();
        }
    }

    private static String answer(String text) throws Exception {
        List<String[]> contexts = new ArrayList<>();
        contexts.add(new String[] {"", ""});
        contexts.add(new String[] {"class $Absent {\n", "\n}"});
        Matcher constructor = CONSTRUCTOR.matcher(text);
        if (constructor.find()) {
            contexts.add(new String[] {"class " + constructor.group(1) + " {\n", "\n}"});
        }
        contexts.add(new String[] {"class $Absent { void f() {\n", "\n} }"});
        for (String[] context : contexts) {
            Judge judge = new Judge(text, context[0], context[1]);
            if (judge.parse()) {
                return judge.judge();
            }
        }
        return "{\"error\": \"does not parse\"}";
    }

    /** One text in one context. */
    private static class Judge extends TreePathScanner<Void, Void> {
        private final String text;
        private final String whole;
        private final int before;
        private final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        private final JavacTask task;
        private final Trees trees;
        private final SourcePositions positions;
        private CompilationUnitTree unit;
        private final Map<Element, Integer> declarations = new HashMap<>();
        private final Map<Integer, int[]> names = new TreeMap<>();
        private final Deque<LabeledStatementTree> labels = new ArrayDeque<>();
        private boolean isCollecting = true;

        Judge(String text, String before, String after) {
            this.text = text;
            this.before = before.length();
            this.whole = before + text + after;
            JavaFileObject file =
                    new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
                        @Override
                        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                            return whole;
                        }

                        @Override
                        public boolean isNameCompatible(String simpleName, JavaFileObject.Kind kind) {
                            return true;
                        }
                    };
            List<String> options =
                    List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-Xlint:none", "-nowarn", "-Xmaxerrs", "10000");
            task = (JavacTask) COMPILER.getTask(null, FILES, diagnostics, options, null, List.of(file));
            trees = Trees.instance(task);
            positions = trees.getSourcePositions();
        }

        boolean parse() throws Exception {
            for (CompilationUnitTree parsed : task.parse()) {
                unit = parsed;
            }
            return unit != null
                    && diagnostics.getDiagnostics().stream().noneMatch(one -> one.getKind() == Diagnostic.Kind.ERROR);
        }

        String judge() throws Exception {
            task.analyze();
            scan(unit, null);
            isCollecting = false;
            scan(unit, null);
            int[] bytes = new int[text.length() + 1];
            for (int index = 0; index < text.length(); index++) {
                char unit16 = text.charAt(index);
                int width = unit16 < 0x80 ? 1 : unit16 < 0x800 || Character.isSurrogate(unit16) ? 2 : 3;
                bytes[index + 1] = bytes[index] + width;
            }
            StringBuilder answer = new StringBuilder("{\"names\": [");
            String separator = "";
            for (int[] name : names.values()) {
                int declaration = name[2] < 0 ? -1 : bytes[name[2]];
                answer.append(separator).append('[').append(bytes[name[0]]).append(", ").append(bytes[name[1]]);
                answer.append(", ").append(declaration).append(']');
                separator = ", ";
            }
            return answer.append("]}").toString();
        }

        /** Notes the name at a position of the whole text, when it is there and belongs to the fragment. */
        private void note(long position, CharSequence name, int declaration) {
            int start = (int) position - before;
            if (position < 0 || start < 0 || name.length() == 0 || !text.startsWith(name.toString(), start)) {
                return;
            }
            int declared = declaration - before;
            boolean isInText = declaration >= 0 && declared >= 0 && declared < text.length();
            names.putIfAbsent(start, new int[] {start, start + name.length(), isInText ? declared : -1});
        }

        private void use(long position, CharSequence name, Element element) {
            if (isCollecting || element == null || !isResolved(element)) {
                return;
            }
            note(position, name, declaration(element));
        }

        private static boolean isResolved(Element element) {
            if (element instanceof PackageElement unseen) {
                // What cannot be resolved is taken for a package.
                return !unseen.getEnclosedElements().isEmpty();
            }
            boolean isType = element.getKind().isClass() || element.getKind().isInterface();
            return element.getKind() != ElementKind.OTHER && !(isType && element.asType().getKind() != TypeKind.DECLARED);
        }

        private int declaration(Element element) {
            if (element.getKind() == ElementKind.CONSTRUCTOR) {
                element = element.getEnclosingElement();
            }
            Element component = component(element);
            return declarations.getOrDefault(component == null ? element : component, -1);
        }

        /** The field of the record's component that an accessor, or a parameter of the canonical constructor, stands for. */
        private Element component(Element element) {
            Element owner = element.getEnclosingElement();
            if (element.getKind() == ElementKind.METHOD
                    && owner instanceof TypeElement record
                    && record.getKind() == ElementKind.RECORD
                    && ((ExecutableElement) element).getParameters().isEmpty()) {
                return field(record, element.getSimpleName());
            }
            if (element.getKind() == ElementKind.PARAMETER
                    && owner instanceof ExecutableElement constructor
                    && constructor.getKind() == ElementKind.CONSTRUCTOR
                    && constructor.getEnclosingElement() instanceof TypeElement record
                    && record.getKind() == ElementKind.RECORD
                    && isCanonical(constructor, record)) {
                return field(record, element.getSimpleName());
            }
            return null;
        }

        private boolean isCanonical(ExecutableElement constructor, TypeElement record) {
            List<? extends RecordComponentElement> components = record.getRecordComponents();
            List<? extends VariableElement> parameters = constructor.getParameters();
            boolean isCanonical = components.size() == parameters.size();
            for (int index = 0; isCanonical && index < components.size(); index++) {
                isCanonical = task.getTypes().isSameType(components.get(index).asType(), parameters.get(index).asType());
            }
            return isCanonical;
        }

        private static Element field(TypeElement record, CharSequence name) {
            boolean isComponent = record.getRecordComponents().stream().anyMatch(one -> one.getSimpleName().contentEquals(name));
            for (Element member : record.getEnclosedElements()) {
                if (isComponent && member.getKind() == ElementKind.FIELD && member.getSimpleName().contentEquals(name)) {
                    return member;
                }
            }
            return null;
        }

        /** Notes a name that is declared here. */
        private void declare(long position, CharSequence name, Element element) {
            if (element == null || position < 0 || !whole.startsWith(name.toString(), (int) position)) {
                return;
            }
            if (isCollecting) {
                declarations.putIfAbsent(element, (int) position);
            } else {
                note(position, name, declaration(element));
            }
        }

        private Element element() {
            return trees.getElement(getCurrentPath());
        }

        /** The place of a word at or after a position. */
        private long find(long from, CharSequence word) {
            Matcher matcher = Pattern.compile("(?<![\\w$])" + Pattern.quote(word.toString()) + "(?![\\w$])").matcher(whole);
            return from >= 0 && matcher.find((int) from) ? matcher.start() : -1;
        }

        @Override
        public Void visitClass(ClassTree node, Void nothing) {
            if (node.getSimpleName().length() > 0) {
                // The position of the tree is that of the keyword, or of the modifiers.
                Matcher keyword =
                        Pattern.compile("\\b(?:class|interface|enum|record)\\s+(?=" + Pattern.quote(node.getSimpleName().toString()) + "\\b)")
                                .matcher(whole);
                int start = ((JCTree) node).pos;
                declare(keyword.find(Math.max(start, 0)) ? keyword.end() : -1, node.getSimpleName(), element());
            }
            return super.visitClass(node, nothing);
        }

        @Override
        public Void visitMethod(MethodTree node, Void nothing) {
            Element element = element();
            if (element != null && element.getKind() == ElementKind.CONSTRUCTOR) {
                Element owner = element.getEnclosingElement();
                use(((JCTree) node).pos, owner.getSimpleName(), owner);
            } else {
                declare(((JCTree) node).pos, node.getName(), element);
            }
            return super.visitMethod(node, nothing);
        }

        @Override
        public Void visitVariable(VariableTree node, Void nothing) {
            int position = ((JCTree) node).pos;
            boolean isThere = position >= 0 && whole.startsWith(node.getName().toString(), position);
            // The position of an enum constant is that of its annotations.
            boolean isConstant = element() != null && element().getKind() == ElementKind.ENUM_CONSTANT;
            if (!node.getName().contentEquals("this")) {
                declare(isThere || !isConstant ? position : find(position, node.getName()), node.getName(), element());
            }
            return super.visitVariable(node, nothing);
        }

        @Override
        public Void visitTypeParameter(TypeParameterTree node, Void nothing) {
            declare(find(positions.getStartPosition(unit, node), node.getName()), node.getName(), element());
            return super.visitTypeParameter(node, nothing);
        }

        @Override
        public Void visitIdentifier(IdentifierTree node, Void nothing) {
            use(((JCTree) node).pos, node.getName(), element());
            return super.visitIdentifier(node, nothing);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree node, Void nothing) {
            use(positions.getEndPosition(unit, node) - node.getIdentifier().length(), node.getIdentifier(), element());
            return super.visitMemberSelect(node, nothing);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree node, Void nothing) {
            if (node.getMode() == MemberReferenceTree.ReferenceMode.INVOKE) {
                use(positions.getEndPosition(unit, node) - node.getName().length(), node.getName(), element());
            }
            return super.visitMemberReference(node, nothing);
        }

        @Override
        public Void visitLabeledStatement(LabeledStatementTree node, Void nothing) {
            long position = positions.getStartPosition(unit, node);
            if (!isCollecting) {
                note(position, node.getLabel(), (int) position);
            }
            labels.push(node);
            super.visitLabeledStatement(node, nothing);
            labels.pop();
            return null;
        }

        @Override
        public Void visitBreak(BreakTree node, Void nothing) {
            jump(node, node.getLabel());
            return super.visitBreak(node, nothing);
        }

        @Override
        public Void visitContinue(ContinueTree node, Void nothing) {
            jump(node, node.getLabel());
            return super.visitContinue(node, nothing);
        }

        private void jump(Tree node, CharSequence label) {
            if (isCollecting || label == null) {
                return;
            }
            for (LabeledStatementTree labeled : labels) {
                if (labeled.getLabel().contentEquals(label)) {
                    note(find(positions.getStartPosition(unit, node), label), label, (int) positions.getStartPosition(unit, labeled));
                    return;
                }
            }
        }
    }

    /** The value of the member "text" of a JSON object that has only this member. */
    private static String text(String line) {
        int index = line.indexOf('"', line.indexOf(':')) + 1;
        StringBuilder text = new StringBuilder(line.length());
        while (line.charAt(index) != '"') {
            char next = line.charAt(index++);
            if (next != '\\') {
                text.append(next);
                continue;
            }
            char escape = line.charAt(index++);
            switch (escape) {
                case 'n' -> text.append('\n');
                case 't' -> text.append('\t');
                case 'r' -> text.append('\r');
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'u' -> {
                    text.append((char) Integer.parseInt(line.substring(index, index + 4), 16));
                    index += 4;
                }
                default -> text.append(escape);
            }
        }
        return text.toString();
    }
}
