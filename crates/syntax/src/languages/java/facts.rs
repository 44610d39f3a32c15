//! Java.

use crate::languages::Facts;
use crate::words;

pub(crate) const FACTS: Facts = Facts {
    keywords: words!(
        "_ abstract assert boolean break byte case catch char class const continue default do double else enum
         extends false final finally float for goto if implements import instanceof int interface long native new
         null package private protected public return short static strictfp super switch synchronized this throw
         throws transient true try void volatile while"
    ),
    reserved: words!(
        "Appendable ArithmeticException ArrayIndexOutOfBoundsException ArrayList Arrays AssertionError AutoCloseable
         BigDecimal BigInteger Boolean Byte CharSequence Character Class ClassCastException ClassLoader
         ClassNotFoundException CloneNotSupportedException Cloneable Collection Collections Comparable Deprecated
         Deque Double Entry Enum Error Exception File Float FunctionalInterface HashMap HashSet IOException
         IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer InterruptedException
         Iterable Iterator LinkedList List Long Map Math Module NegativeArraySizeException NullPointerException
         Number NumberFormatException Object Objects Optional OutOfMemoryError Override Package Process
         ProcessBuilder Queue Random Readable Record ReflectiveOperationException Runnable Runtime RuntimeException
         SafeVarargs Scanner SecurityException Set Short Stack StackOverflowError StackTraceElement StackWalker
         Stream StrictMath String StringBuffer StringBuilder StringIndexOutOfBoundsException SuppressWarnings System
         Thread ThreadGroup ThreadLocal Throwable TreeMap TreeSet UnsupportedOperationException Vector Void args
         clone compareTo equals exports finalize forEach getClass hashCode iterator java javax length main module
         name non-sealed notify notifyAll open opens ordinal permits provides record requires sealed size to toString
         transitive uses valueOf values var wait when with yield"
    ),
};

/// What a type of the library hands down to the types that extend or implement it.
pub(crate) struct LibraryType {
    /// The package, or the type around it.
    pub(crate) package: &'static str,
    /// The simple name.
    pub(crate) name: &'static str,
    /// The names of its fields that heirs may use, inherited ones included; words separated by blanks.
    pub(crate) fields: &'static str,
    /// The names of its methods; those of `Object` are left out, since everything has them.
    pub(crate) methods: &'static str,
    /// The names of the types nested in it.
    pub(crate) types: &'static str,
}

impl LibraryType {
    /// Does it have a method of this name, beyond those of `Object`?
    pub(crate) fn has_method(&self, name: &str) -> bool {
        self.methods.split(' ').any(|known| known == name)
    }
}

/// The well-known type of the library that has this simple name.
pub(crate) fn library_type(name: &str) -> Option<&'static LibraryType> {
    let place = LIBRARY_TYPES.binary_search_by_key(&name, |library| library.name).ok()?;
    Some(&LIBRARY_TYPES[place])
}

/// What every type has.
pub(crate) const OBJECT: LibraryType =
    library("java.lang", "Object", "", "clone equals finalize getClass hashCode notify notifyAll toString wait", "");

/// What every enum has.
pub(crate) const ENUM: LibraryType = library(
    "java.lang",
    "Enum",
    "",
    "compareTo describeConstable getDeclaringClass name ordinal valueOf values",
    "EnumDesc",
);

const fn library(
    package: &'static str,
    name: &'static str,
    fields: &'static str,
    methods: &'static str,
    types: &'static str,
) -> LibraryType {
    LibraryType { package, name, fields, methods, types }
}

const THROWABLE_METHODS: &str = "addSuppressed fillInStackTrace getCause getLocalizedMessage getMessage getStackTrace getSuppressed \
     initCause printStackTrace setStackTrace";

/// The types of the library that programs often extend or implement, sorted by name: read off Java 17 by reflection.
#[rustfmt::skip]
const LIBRARY_TYPES: &[LibraryType] = &[
    library("java.util", "AbstractCollection", "", "add addAll clear contains containsAll forEach isEmpty iterator \
        parallelStream remove removeAll removeIf retainAll size spliterator stream toArray", ""),
    library("java.util", "AbstractList", "modCount", "add addAll clear contains containsAll forEach get indexOf \
        isEmpty iterator lastIndexOf listIterator parallelStream remove removeAll removeIf removeRange replaceAll \
        retainAll set size sort spliterator stream subList toArray", ""),
    library("java.util", "AbstractMap", "", "clear compute computeIfAbsent computeIfPresent containsKey \
        containsValue entrySet forEach get getOrDefault isEmpty keySet merge put putAll putIfAbsent remove replace \
        replaceAll size values", "Entry SimpleEntry SimpleImmutableEntry"),
    library("java.util", "AbstractSet", "", "add addAll clear contains containsAll forEach isEmpty iterator \
        parallelStream remove removeAll removeIf retainAll size spliterator stream toArray", ""),
    library("java.awt.event", "ActionListener", "", "actionPerformed", ""),
    library("java.awt.event", "AdjustmentListener", "", "adjustmentValueChanged", ""),
    library("java.lang", "Appendable", "", "append", ""),
    library("java.lang", "ArithmeticException", "", THROWABLE_METHODS, ""),
    library("java.util", "ArrayList", "modCount", "add addAll clear contains containsAll ensureCapacity forEach get \
        indexOf isEmpty iterator lastIndexOf listIterator parallelStream remove removeAll removeIf removeRange \
        replaceAll retainAll set size sort spliterator stream subList toArray trimToSize", ""),
    library("java.lang", "AssertionError", "", THROWABLE_METHODS, ""),
    library("java.lang", "AutoCloseable", "", "close", ""),
    library("java.util.function", "BiConsumer", "", "accept andThen", ""),
    library("java.util.function", "BiFunction", "", "andThen apply", ""),
    library("java.util.function", "BiPredicate", "", "and negate or test", ""),
    library("java.util.function", "BinaryOperator", "", "andThen apply", ""),
    library("java.util.concurrent", "Callable", "", "call", ""),
    library("javax.swing.event", "CaretListener", "", "caretUpdate", ""),
    library("javax.swing.event", "ChangeListener", "", "stateChanged", ""),
    library("java.lang", "CharSequence", "", "charAt chars codePoints isEmpty length subSequence", ""),
    library("java.lang", "ClassCastException", "", THROWABLE_METHODS, ""),
    library("java.lang", "ClassLoader", "", "clearAssertionStatus defineClass definePackage findClass findLibrary \
        findLoadedClass findResource findResources findSystemClass getClassLoadingLock getDefinedPackage \
        getDefinedPackages getName getPackage getPackages getParent getPlatformClassLoader getResource \
        getResourceAsStream getResources getSystemClassLoader getSystemResource getSystemResourceAsStream \
        getSystemResources getUnnamedModule isRegisteredAsParallelCapable loadClass registerAsParallelCapable \
        resolveClass resources setClassAssertionStatus setDefaultAssertionStatus setPackageAssertionStatus \
        setSigners", ""),
    library("java.lang", "CloneNotSupportedException", "", THROWABLE_METHODS, ""),
    library("java.lang", "Cloneable", "", "", ""),
    library("java.io", "Closeable", "", "close", ""),
    library("java.util", "Collection", "", "add addAll clear contains containsAll forEach isEmpty iterator \
        parallelStream remove removeAll removeIf retainAll size spliterator stream toArray", ""),
    library("java.lang", "Comparable", "", "compareTo", ""),
    library("java.util", "Comparator", "", "compare reversed thenComparing thenComparingDouble thenComparingInt \
        thenComparingLong", ""),
    library("java.awt.event", "ComponentAdapter", "", "componentHidden componentMoved componentResized \
        componentShown", ""),
    library("java.awt.event", "ComponentListener", "", "componentHidden componentMoved componentResized \
        componentShown", ""),
    library("java.util.function", "Consumer", "", "accept andThen", ""),
    library("java.util", "Deque", "", "add addAll addFirst addLast clear contains containsAll descendingIterator \
        element forEach getFirst getLast isEmpty iterator offer offerFirst offerLast parallelStream peek peekFirst \
        peekLast poll pollFirst pollLast pop push remove removeAll removeFirst removeFirstOccurrence removeIf \
        removeLast removeLastOccurrence retainAll size spliterator stream toArray", ""),
    library("javax.swing.event", "DocumentListener", "", "changedUpdate insertUpdate removeUpdate", ""),
    library("java.util.Map", "Entry", "", "getKey getValue setValue", ""),
    library("java.lang", "Enum", "", "compareTo describeConstable getDeclaringClass name ordinal \
        valueOf", "EnumDesc"),
    library("java.util", "Enumeration", "", "asIterator hasMoreElements nextElement", ""),
    library("java.lang", "Error", "", THROWABLE_METHODS, ""),
    library("java.util", "EventListener", "", "", ""),
    library("java.lang", "Exception", "", THROWABLE_METHODS, ""),
    library("java.util.concurrent", "Executor", "", "execute", ""),
    library("java.io", "FileFilter", "", "accept", ""),
    library("java.io", "FileNotFoundException", "", THROWABLE_METHODS, ""),
    library("java.io", "FilenameFilter", "", "accept", ""),
    library("java.io", "Flushable", "", "flush", ""),
    library("java.awt.event", "FocusAdapter", "", "focusGained focusLost", ""),
    library("java.awt.event", "FocusListener", "", "focusGained focusLost", ""),
    library("java.util.function", "Function", "", "andThen apply compose", ""),
    library("java.util.concurrent", "FutureTask", "", "cancel done get isCancelled isDone run runAndReset set \
        setException", ""),
    library("java.util", "HashMap", "", "clear compute computeIfAbsent computeIfPresent containsKey containsValue \
        entrySet forEach get getOrDefault isEmpty keySet merge put putAll putIfAbsent remove replace replaceAll \
        size values", "Entry SimpleEntry SimpleImmutableEntry"),
    library("java.util", "HashSet", "", "add addAll clear contains containsAll forEach isEmpty iterator \
        parallelStream remove removeAll removeIf retainAll size spliterator stream toArray", ""),
    library("javax.net.ssl", "HostnameVerifier", "", "verify", ""),
    library("javax.swing.event", "HyperlinkListener", "", "hyperlinkUpdate", ""),
    library("java.io", "IOException", "", THROWABLE_METHODS, ""),
    library("java.lang", "IllegalArgumentException", "", THROWABLE_METHODS, ""),
    library("java.lang", "IllegalStateException", "", THROWABLE_METHODS, ""),
    library("java.lang", "IndexOutOfBoundsException", "", THROWABLE_METHODS, ""),
    library("java.io", "InputStream", "", "available close mark markSupported nullInputStream read readAllBytes \
        readNBytes reset skip skipNBytes transferTo", ""),
    library("java.util.function", "IntBinaryOperator", "", "applyAsInt", ""),
    library("java.util.function", "IntFunction", "", "apply", ""),
    library("java.util.function", "IntPredicate", "", "and negate or test", ""),
    library("java.util.function", "IntUnaryOperator", "", "andThen applyAsInt compose", ""),
    library("javax.swing.event", "InternalFrameAdapter", "", "internalFrameActivated internalFrameClosed \
        internalFrameClosing internalFrameDeactivated internalFrameDeiconified internalFrameIconified \
        internalFrameOpened", ""),
    library("java.lang", "InterruptedException", "", THROWABLE_METHODS, ""),
    library("java.lang.reflect", "InvocationHandler", "", "invoke", ""),
    library("java.awt.event", "ItemListener", "", "itemStateChanged", ""),
    library("java.lang", "Iterable", "", "forEach iterator spliterator", ""),
    library("java.util", "Iterator", "", "forEachRemaining hasNext next remove", ""),
    library("java.awt.event", "KeyAdapter", "", "keyPressed keyReleased keyTyped", ""),
    library("java.awt.event", "KeyListener", "", "keyPressed keyReleased keyTyped", ""),
    library("java.util", "LinkedHashMap", "", "clear compute computeIfAbsent computeIfPresent containsKey \
        containsValue entrySet forEach get getOrDefault isEmpty keySet merge put putAll putIfAbsent remove \
        removeEldestEntry replace replaceAll size values", "Entry SimpleEntry SimpleImmutableEntry"),
    library("java.util", "List", "", "add addAll clear contains containsAll forEach get indexOf isEmpty iterator \
        lastIndexOf listIterator parallelStream remove removeAll removeIf replaceAll retainAll set size sort \
        spliterator stream subList toArray", ""),
    library("java.util", "ListIterator", "", "add forEachRemaining hasNext hasPrevious next nextIndex previous \
        previousIndex remove set", ""),
    library("javax.swing.event", "ListSelectionListener", "", "valueChanged", ""),
    library("java.util", "Map", "", "clear compute computeIfAbsent computeIfPresent containsKey containsValue \
        entrySet forEach get getOrDefault isEmpty keySet merge put putAll putIfAbsent remove replace replaceAll \
        size values", "Entry"),
    library("java.awt.event", "MouseAdapter", "", "mouseClicked mouseDragged mouseEntered mouseExited mouseMoved \
        mousePressed mouseReleased mouseWheelMoved", ""),
    library("java.awt.event", "MouseListener", "", "mouseClicked mouseEntered mouseExited mousePressed \
        mouseReleased", ""),
    library("java.awt.event", "MouseMotionListener", "", "mouseDragged mouseMoved", ""),
    library("java.awt.event", "MouseWheelListener", "", "mouseWheelMoved", ""),
    library("java.util", "NoSuchElementException", "", THROWABLE_METHODS, ""),
    library("java.lang", "NullPointerException", "", THROWABLE_METHODS, ""),
    library("java.lang", "Number", "", "byteValue doubleValue floatValue intValue longValue shortValue", ""),
    library("java.lang", "NumberFormatException", "", THROWABLE_METHODS, ""),
    library("java.util", "Observable", "", "addObserver clearChanged countObservers deleteObserver deleteObservers \
        hasChanged notifyObservers setChanged", ""),
    library("java.util", "Observer", "", "update", ""),
    library("java.io", "OutputStream", "", "close flush nullOutputStream write", ""),
    library("javax.swing.event", "PopupMenuListener", "", "popupMenuCanceled popupMenuWillBecomeInvisible \
        popupMenuWillBecomeVisible", ""),
    library("java.util.function", "Predicate", "", "and negate or test", ""),
    library("java.security", "PrivilegedAction", "", "run", ""),
    library("java.security", "PrivilegedExceptionAction", "", "run", ""),
    library("java.beans", "PropertyChangeListener", "", "propertyChange", ""),
    library("java.util", "Queue", "", "add addAll clear contains containsAll element forEach isEmpty iterator offer \
        parallelStream peek poll remove removeAll removeIf retainAll size spliterator stream toArray", ""),
    library("java.io", "Reader", "lock", "close mark markSupported nullReader read ready reset skip transferTo", ""),
    library("java.lang", "Record", "", "", ""),
    library("java.util.concurrent", "RecursiveAction", "", "adapt cancel compareAndSetForkJoinTaskTag complete \
        completeExceptionally compute exec fork get getException getForkJoinTaskTag getPool getQueuedTaskCount \
        getRawResult getSurplusQueuedTaskCount helpQuiesce inForkJoinPool invoke invokeAll isCancelled \
        isCompletedAbnormally isCompletedNormally isDone join peekNextLocalTask pollNextLocalTask pollSubmission \
        pollTask quietlyComplete quietlyInvoke quietlyJoin reinitialize setForkJoinTaskTag setRawResult \
        tryUnfork", ""),
    library("java.util.concurrent", "RecursiveTask", "", "adapt cancel compareAndSetForkJoinTaskTag complete \
        completeExceptionally compute exec fork get getException getForkJoinTaskTag getPool getQueuedTaskCount \
        getRawResult getSurplusQueuedTaskCount helpQuiesce inForkJoinPool invoke invokeAll isCancelled \
        isCompletedAbnormally isCompletedNormally isDone join peekNextLocalTask pollNextLocalTask pollSubmission \
        pollTask quietlyComplete quietlyInvoke quietlyJoin reinitialize setForkJoinTaskTag setRawResult \
        tryUnfork", ""),
    library("java.lang", "Runnable", "", "run", ""),
    library("java.lang", "RuntimeException", "", THROWABLE_METHODS, ""),
    library("java.sql", "SQLException", "", "addSuppressed fillInStackTrace forEach getCause getErrorCode \
        getLocalizedMessage getMessage getNextException getSQLState getStackTrace getSuppressed initCause iterator \
        printStackTrace setNextException setStackTrace spliterator", ""),
    library("java.lang", "SecurityException", "", THROWABLE_METHODS, ""),
    library("java.io", "Serializable", "", "", ""),
    library("java.util", "Set", "", "add addAll clear contains containsAll forEach isEmpty iterator parallelStream \
        remove removeAll removeIf retainAll size spliterator stream toArray", ""),
    library("java.util.function", "Supplier", "", "get", ""),
    library("javax.swing.event", "TableModelListener", "", "tableChanged", ""),
    library("java.lang", "Thread", "MAX_PRIORITY MIN_PRIORITY NORM_PRIORITY", "activeCount checkAccess \
        countStackFrames currentThread dumpStack enumerate getAllStackTraces getContextClassLoader \
        getDefaultUncaughtExceptionHandler getId getName getPriority getStackTrace getState getThreadGroup \
        getUncaughtExceptionHandler holdsLock interrupt interrupted isAlive isDaemon isInterrupted join onSpinWait \
        resume run setContextClassLoader setDaemon setDefaultUncaughtExceptionHandler setName setPriority \
        setUncaughtExceptionHandler sleep start stop suspend yield", "State UncaughtExceptionHandler"),
    library("java.util.concurrent", "ThreadFactory", "", "newThread", ""),
    library("java.lang", "ThreadLocal", "", "get initialValue remove set withInitial", ""),
    library("java.lang", "Throwable", "", THROWABLE_METHODS, ""),
    library("java.util", "TimerTask", "", "cancel run scheduledExecutionTime", ""),
    library("java.util", "TreeMap", "", "ceilingEntry ceilingKey clear comparator compute computeIfAbsent \
        computeIfPresent containsKey containsValue descendingKeySet descendingMap entrySet firstEntry firstKey \
        floorEntry floorKey forEach get getOrDefault headMap higherEntry higherKey isEmpty keySet lastEntry lastKey \
        lowerEntry lowerKey merge navigableKeySet pollFirstEntry pollLastEntry put putAll putIfAbsent remove \
        replace replaceAll size subMap tailMap values", "Entry SimpleEntry SimpleImmutableEntry"),
    library("javax.swing.event", "TreeSelectionListener", "", "valueChanged", ""),
    library("java.util.function", "UnaryOperator", "", "andThen apply compose", ""),
    library("java.lang.Thread", "UncaughtExceptionHandler", "", "uncaughtException", ""),
    library("java.io", "UncheckedIOException", "", THROWABLE_METHODS, ""),
    library("java.lang", "UnsupportedOperationException", "", THROWABLE_METHODS, ""),
    library("java.awt.event", "WindowAdapter", "", "windowActivated windowClosed windowClosing windowDeactivated \
        windowDeiconified windowGainedFocus windowIconified windowLostFocus windowOpened windowStateChanged", ""),
    library("java.awt.event", "WindowListener", "", "windowActivated windowClosed windowClosing windowDeactivated \
        windowDeiconified windowIconified windowOpened", ""),
    library("java.io", "Writer", "lock", "append close flush nullWriter write", ""),
    library("javax.net.ssl", "X509TrustManager", "", "checkClientTrusted checkServerTrusted getAcceptedIssuers", ""),
];

/// The public types of `java.lang`, sorted: every program sees them without an import.
pub(crate) const LANGUAGE_TYPES: &[&str] = words!(
    "AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException
     AssertionError AutoCloseable Boolean BootstrapMethodError Byte CharSequence Character Class ClassCastException
     ClassCircularityError ClassFormatError ClassLoader ClassNotFoundException ClassValue CloneNotSupportedException
     Cloneable Comparable Compiler Deprecated Double Enum EnumConstantNotPresentException Error Exception
     ExceptionInInitializerError Float FunctionalInterface IllegalAccessError IllegalAccessException
     IllegalArgumentException IllegalCallerException IllegalMonitorStateException IllegalStateException
     IllegalThreadStateException IncompatibleClassChangeError IndexOutOfBoundsException InheritableThreadLocal
     InstantiationError InstantiationException Integer InternalError InterruptedException Iterable
     LayerInstantiationException LinkageError Long Math Module ModuleLayer NegativeArraySizeException
     NoClassDefFoundError NoSuchFieldError NoSuchFieldException NoSuchMethodError NoSuchMethodException
     NullPointerException Number NumberFormatException Object OutOfMemoryError Override Package Process
     ProcessBuilder ProcessHandle Readable Record ReflectiveOperationException Runnable Runtime RuntimeException
     RuntimePermission SafeVarargs SecurityException SecurityManager Short StackOverflowError StackTraceElement
     StackWalker StrictMath String StringBuffer StringBuilder StringIndexOutOfBoundsException SuppressWarnings System
     Thread ThreadDeath ThreadGroup ThreadLocal Throwable TypeNotPresentException UnknownError UnsatisfiedLinkError
     UnsupportedClassVersionError UnsupportedOperationException VerifyError VirtualMachineError Void"
);

/// Is this a public type of one of the packages that programs import as a whole?
pub(crate) fn is_in_package(name: &str, package: &str) -> bool {
    let known = PACKAGES.iter().find(|(known, _)| *known == package);
    known.is_some_and(|(_, names)| names.split(' ').any(|known| known == name))
}

/// The public types of packages, as words separated by blanks: read off Java 17.
#[rustfmt::skip]
const PACKAGES: &[(&str, &str)] = &[
    (
        "java.io",
        "BufferedInputStream BufferedOutputStream BufferedReader BufferedWriter ByteArrayInputStream \
         ByteArrayOutputStream CharArrayReader CharArrayWriter CharConversionException Closeable Console DataInput \
         DataInputStream DataOutput DataOutputStream EOFException Externalizable File FileDescriptor FileFilter \
         FileInputStream FileNotFoundException FileOutputStream FilePermission FileReader FileWriter FilenameFilter \
         FilterInputStream FilterOutputStream FilterReader FilterWriter Flushable IOError IOException InputStream \
         InputStreamReader InterruptedIOException InvalidClassException InvalidObjectException LineNumberInputStream \
         LineNumberReader NotActiveException NotSerializableException ObjectInput ObjectInputFilter ObjectInputStream \
         ObjectInputValidation ObjectOutput ObjectOutputStream ObjectStreamClass ObjectStreamConstants \
         ObjectStreamException ObjectStreamField OptionalDataException OutputStream OutputStreamWriter \
         PipedInputStream PipedOutputStream PipedReader PipedWriter PrintStream PrintWriter PushbackInputStream \
         PushbackReader RandomAccessFile Reader SequenceInputStream Serial Serializable SerializablePermission \
         StreamCorruptedException StreamTokenizer StringBufferInputStream StringReader StringWriter \
         SyncFailedException UTFDataFormatException UncheckedIOException UnsupportedEncodingException \
         WriteAbortedException Writer",
    ),
    (
        "java.math",
        "BigDecimal BigInteger MathContext RoundingMode",
    ),
    (
        "java.net",
        "Authenticator BindException CacheRequest CacheResponse ConnectException ContentHandler ContentHandlerFactory \
         CookieHandler CookieManager CookiePolicy CookieStore DatagramPacket DatagramSocket DatagramSocketImpl \
         DatagramSocketImplFactory FileNameMap HttpCookie HttpRetryException HttpURLConnection IDN Inet4Address \
         Inet6Address InetAddress InetSocketAddress InterfaceAddress JarURLConnection MalformedURLException \
         MulticastSocket NetPermission NetworkInterface NoRouteToHostException PasswordAuthentication \
         PortUnreachableException ProtocolException ProtocolFamily Proxy ProxySelector ResponseCache \
         SecureCacheResponse ServerSocket Socket SocketAddress SocketException SocketImpl SocketImplFactory \
         SocketOption SocketOptions SocketPermission SocketTimeoutException StandardProtocolFamily \
         StandardSocketOptions URI URISyntaxException URL URLClassLoader URLConnection URLDecoder URLEncoder \
         URLPermission URLStreamHandler URLStreamHandlerFactory UnixDomainSocketAddress UnknownHostException \
         UnknownServiceException",
    ),
    (
        "java.nio.file",
        "AccessDeniedException AccessMode AtomicMoveNotSupportedException ClosedDirectoryStreamException \
         ClosedFileSystemException ClosedWatchServiceException CopyOption DirectoryIteratorException \
         DirectoryNotEmptyException DirectoryStream FileAlreadyExistsException FileStore FileSystem \
         FileSystemAlreadyExistsException FileSystemException FileSystemLoopException FileSystemNotFoundException \
         FileSystems FileVisitOption FileVisitResult FileVisitor Files InvalidPathException LinkOption LinkPermission \
         NoSuchFileException NotDirectoryException NotLinkException OpenOption Path PathMatcher Paths \
         ProviderMismatchException ProviderNotFoundException ReadOnlyFileSystemException SecureDirectoryStream \
         SimpleFileVisitor StandardCopyOption StandardOpenOption StandardWatchEventKinds WatchEvent WatchKey \
         WatchService Watchable",
    ),
    (
        "java.text",
        "Annotation AttributedCharacterIterator AttributedString Bidi BreakIterator CharacterIterator ChoiceFormat \
         CollationElementIterator CollationKey Collator CompactNumberFormat DateFormat DateFormatSymbols \
         DecimalFormat DecimalFormatSymbols FieldPosition Format MessageFormat Normalizer NumberFormat ParseException \
         ParsePosition RuleBasedCollator SimpleDateFormat StringCharacterIterator",
    ),
    (
        "java.time",
        "Clock DateTimeException DayOfWeek Duration Instant InstantSource LocalDate LocalDateTime LocalTime Month \
         MonthDay OffsetDateTime OffsetTime Period Year YearMonth ZoneId ZoneOffset ZonedDateTime",
    ),
    (
        "java.util",
        "AbstractCollection AbstractList AbstractMap AbstractQueue AbstractSequentialList AbstractSet ArrayDeque \
         ArrayList Arrays Base64 BitSet Calendar Collection Collections Comparator ConcurrentModificationException \
         Currency Date Deque Dictionary DoubleSummaryStatistics DuplicateFormatFlagsException EmptyStackException \
         EnumMap EnumSet Enumeration EventListener EventListenerProxy EventObject \
         FormatFlagsConversionMismatchException Formattable FormattableFlags Formatter FormatterClosedException \
         GregorianCalendar HashMap HashSet Hashtable HexFormat IdentityHashMap IllegalFormatCodePointException \
         IllegalFormatConversionException IllegalFormatException IllegalFormatFlagsException \
         IllegalFormatPrecisionException IllegalFormatWidthException IllformedLocaleException InputMismatchException \
         IntSummaryStatistics InvalidPropertiesFormatException Iterator LinkedHashMap LinkedHashSet LinkedList List \
         ListIterator ListResourceBundle Locale LongSummaryStatistics Map MissingFormatArgumentException \
         MissingFormatWidthException MissingResourceException NavigableMap NavigableSet NoSuchElementException \
         Objects Observable Observer Optional OptionalDouble OptionalInt OptionalLong PrimitiveIterator PriorityQueue \
         Properties PropertyPermission PropertyResourceBundle Queue Random RandomAccess ResourceBundle Scanner \
         ServiceConfigurationError ServiceLoader Set SimpleTimeZone SortedMap SortedSet Spliterator Spliterators \
         SplittableRandom Stack StringJoiner StringTokenizer TimeZone Timer TimerTask TooManyListenersException \
         TreeMap TreeSet UUID UnknownFormatConversionException UnknownFormatFlagsException Vector WeakHashMap",
    ),
    (
        "java.util.concurrent",
        "AbstractExecutorService ArrayBlockingQueue BlockingDeque BlockingQueue BrokenBarrierException Callable \
         CancellationException CompletableFuture CompletionException CompletionService CompletionStage \
         ConcurrentHashMap ConcurrentLinkedDeque ConcurrentLinkedQueue ConcurrentMap ConcurrentNavigableMap \
         ConcurrentSkipListMap ConcurrentSkipListSet CopyOnWriteArrayList CopyOnWriteArraySet CountDownLatch \
         CountedCompleter CyclicBarrier DelayQueue Delayed Exchanger ExecutionException Executor \
         ExecutorCompletionService ExecutorService Executors Flow ForkJoinPool ForkJoinTask ForkJoinWorkerThread \
         Future FutureTask LinkedBlockingDeque LinkedBlockingQueue LinkedTransferQueue Phaser PriorityBlockingQueue \
         RecursiveAction RecursiveTask RejectedExecutionException RejectedExecutionHandler RunnableFuture \
         RunnableScheduledFuture ScheduledExecutorService ScheduledFuture ScheduledThreadPoolExecutor Semaphore \
         SubmissionPublisher SynchronousQueue ThreadFactory ThreadLocalRandom ThreadPoolExecutor TimeUnit \
         TimeoutException TransferQueue",
    ),
    (
        "java.util.concurrent.atomic",
        "AtomicBoolean AtomicInteger AtomicIntegerArray AtomicIntegerFieldUpdater AtomicLong AtomicLongArray \
         AtomicLongFieldUpdater AtomicMarkableReference AtomicReference AtomicReferenceArray \
         AtomicReferenceFieldUpdater AtomicStampedReference DoubleAccumulator DoubleAdder LongAccumulator LongAdder",
    ),
    (
        "java.util.function",
        "BiConsumer BiFunction BiPredicate BinaryOperator BooleanSupplier Consumer DoubleBinaryOperator \
         DoubleConsumer DoubleFunction DoublePredicate DoubleSupplier DoubleToIntFunction DoubleToLongFunction \
         DoubleUnaryOperator Function IntBinaryOperator IntConsumer IntFunction IntPredicate IntSupplier \
         IntToDoubleFunction IntToLongFunction IntUnaryOperator LongBinaryOperator LongConsumer LongFunction \
         LongPredicate LongSupplier LongToDoubleFunction LongToIntFunction LongUnaryOperator ObjDoubleConsumer \
         ObjIntConsumer ObjLongConsumer Predicate Supplier ToDoubleBiFunction ToDoubleFunction ToIntBiFunction \
         ToIntFunction ToLongBiFunction ToLongFunction UnaryOperator",
    ),
    (
        "java.util.regex",
        "MatchResult Matcher Pattern PatternSyntaxException",
    ),
    (
        "java.util.stream",
        "BaseStream Collector Collectors DoubleStream IntStream LongStream Stream StreamSupport",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(LIBRARY_TYPES.is_sorted_by_key(|library| library.name));
        assert!(LANGUAGE_TYPES.is_sorted());
    }
}
