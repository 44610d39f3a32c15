import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Runs the classes of a folder, each with a class loader of its own, and prints a line for each: what it printed, or why it failed. */
public class RunAll {
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        URL[] place = {Path.of(arguments[0]).toUri().toURL()};
        for (int index = 1; index < arguments.length; index++) {
            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            String end = "ended";
            try (URLClassLoader loader = new URLClassLoader(place)) {
                loader.loadClass(arguments[index]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            } catch (Throwable problem) {
                end = String.valueOf(problem.getCause() == null ? problem : problem.getCause());
            }
            out.println((printed.toString(StandardCharsets.UTF_8) + end).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r"));
        }
    }
}
