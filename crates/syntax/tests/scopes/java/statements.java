import java.io.*;                                                //: java:outside io:outside
import java.util.Map;                                            //: java:outside util:outside Map#1:import
import java.util.List;                                           //: java:outside util:outside List#2:import

class Copier {                                                   //: Copier#3:type
    InputStream in;                                              //: InputStream:outside in#4:field
    final Reader source = null;                                  //: Reader:outside source#5:field
    static String text = "a";                                    //: String:outside text#6:field

    void copy(final String from, String... to) throws IOException, FileNotFoundException { //: copy#7:function String:outside from#8:parameter String:outside to#9:parameter IOException:outside FileNotFoundException:outside
        try (InputStream in = new FileInputStream(from); Reader reader = open(in); this.source) { //: InputStream:outside in#10:local FileInputStream:outside from#8 Reader:outside reader#11:local open#29 in#10 source#5
            in.read();                                           //: in#10 read:outside
            reader.read();                                       //: reader#11 read:outside
        } catch (FileNotFoundException | IllegalStateException error) { //: FileNotFoundException:outside IllegalStateException:outside error#12:parameter
            in.close();                                          //: in#4 close:outside
            throw new IOException(error);                        //: IOException:outside error#12
        } finally {
            in = null;                                           //: in#4
        }
        try (source) {                                           //: source#5
            source.read();                                       //: source#5 read:outside
        } catch (final IOException e) {                          //: IOException:outside e#13:parameter
            e.printStackTrace();                                 //: e#13 printStackTrace:outside
        }
        rows:                                                    //: rows#14:label
        for (int row = 0, column = row; row < to.length; row++, column--) { //: row#15:local column#16:local row#15 row#15 to#9 length:outside row#15 column#16
            cells:                                               //: cells#17:label
            while (true) {
                if (row == column) continue rows;                //: row#15 column#16 rows#14
                if (row > 3) break cells;                        //: row#15 cells#17
                break rows;                                      //: rows#14
            }
        }
        synchronized (this) {
            assert from != null : text + from;                   //: from#8 text#6 from#8
        }
        var size = from.length();                                //: var:outside size#18:local from#8 length:outside
        for (var name : to) {                                    //: var:outside name#19:local to#9
            size += name.length() + Copier.text.charAt(0);       //: size#18 name#19 length:outside Copier#3 text#6 charAt:outside
        }
        Map<String, List<Copier>> table = new java.util.HashMap<String, List<Copier>>(); //: Map#1 String:outside List#2 Copier#3 table#20:local java:outside util:outside HashMap:outside String:outside List#2 Copier#3
        for (Map.Entry<String, List<Copier>> entry : table.entrySet()) { //: Map#1 Entry:outside String:outside List#2 Copier#3 entry#21:local table#20 entrySet:outside
            List<Copier> list = entry.getValue();                //: List#2 Copier#3 list#22:local entry#21 getValue:outside
            list.get(0).in = null;                               //: list#22 get:outside in:member
            ((Copier) list.get(1)).in = (InputStream) in;        //: Copier#3 list#22 get:outside in#4 InputStream:outside in#4
        }
        int[] lengths[] = new int[size][];                       //: lengths#23:local size#18
        lengths[0][1] = lengths.length + lengths[0].length;      //: lengths#23 lengths#23 length:outside lengths#23 length:outside
        Object kind = Copier.class;                              //: Object:outside kind#24:local Copier#3
        kind = int[].class;                                      //: kind#24
        text = (size) + text;                                    //: text#6 size#18 text#6
        Copier.<String>first(to).length();                       //: Copier#3 String:outside first#26 to#9 length:member
        size = size > 3 ? -size : ~size;                         //: size#18 size#18 size#18 size#18
    }

    static <E> E first(E[] elements) {                           //: E#25:type E#25 first#26:function E#25 elements#27:parameter
        E text = elements[0];                                    //: E#25 text#28:local elements#27
        return text;                                             //: text#28
    }

    Reader open(InputStream in) {                                //: Reader:outside open#29:function InputStream:outside in#30:parameter
        return new InputStreamReader(in);                        //: InputStreamReader:outside in#30
    }

    void receive(@Deprecated Copier this, int in) {              //: receive#31:function Deprecated:outside Copier#3 this:outside in#32:parameter
        this.in = null;                                          //: in#4
        in++;                                                    //: in#32
    }
}
