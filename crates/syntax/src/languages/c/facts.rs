//! C.

use crate::languages::Facts;
use crate::words;

pub(crate) const FACTS: Facts = Facts {
    keywords: words!(
        "_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local asm auto
         break case char const continue default do double else enum extern float for goto if inline int long register
         restrict return short signed sizeof static struct switch typedef typeof union unsigned void volatile while"
    ),
    reserved: words!(
        "BUFSIZ CHAR_BIT CHAR_MAX CHAR_MIN CLOCKS_PER_SEC DBL_EPSILON DBL_MAX DBL_MIN DIR EOF EXIT_FAILURE
         EXIT_SUCCESS FILE FLT_EPSILON FLT_MAX FLT_MIN HUGE_VAL I INFINITY INT16_MAX INT32_MAX INT32_MIN INT64_MAX
         INT64_MIN INT_MAX INT_MIN LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN M_E M_PI NAN NULL PATH_MAX RAND_MAX
         SCHAR_MAX SCHAR_MIN SEEK_CUR SEEK_END SEEK_SET SHRT_MAX SHRT_MIN SIZE_MAX UCHAR_MAX UINT32_MAX UINT64_MAX
         UINT_MAX ULLONG_MAX ULONG_MAX USHRT_MAX abort abs accept access acos alarm alignas alignof alloca asin
         assert atan atan2 atexit atof atoi atol atoll bind bool bsearch calloc cbrt ceil clearerr clock clock_t
         close complex connect constexpr copysign cos cosh creal ctime difftime div div_t dup dup2 environ erf erfc
         errno execv execve exit exp expm1 fabs fabsf false far fclose fdim feof ferror fflush fgetc fgetpos fgets
         fileno finite floor floorf fma fmax fmin fmod fopen fork fpclassify fprintf fputc fputs fread free freopen
         frexp fscanf fseek fsetpos ftell ftruncate fwrite gamma getc getchar getcwd getenv getline getopt getpid
         gets gettimeofday gmtime huge hypot i386 ilogb index int16_t int32_t int64_t int8_t int_fast32_t
         int_least32_t interrupt intmax_t intptr_t ioctl isalnum isalpha isatty iscntrl isdigit isfinite isgraph
         isgreater isgreaterequal isinf isless islessequal islessgreater islower isnan isnormal isprint ispunct
         isspace isunordered isupper isxdigit j0 j1 jn kill labs ldexp ldiv lgamma link linux listen llabs llround
         localtime log log10 log1p log2 logb longjmp lrand48 lround lseek lstat main malloc max_align_t mbstowcs
         memccpy memchr memcmp memcpy memmove memset mkdir mktime mmap modf munmap nan nanosleep near nearbyint
         noreturn nullptr nullptr_t offsetof open optarg opterr optind optopt pascal pause perror pipe popen pow
         printf pthread_create pthread_mutex_t pthread_t ptrdiff_t putc putchar putenv puts qsort quick_exit raise
         rand random read realloc recv remainder remove rename rewind rint rmdir round scalbn scanf select send
         setbuf setenv setjmp setvbuf sigaction signal signbit sin sinh size_t sleep snprintf socket sprintf sqrt
         srand srandom sscanf ssize_t stat static_assert stderr stdin stdout strcasecmp strcat strchr strcmp strcoll
         strcpy strcspn strdup strerror strftime strlen strncasecmp strncat strncmp strncpy strndup strnlen strpbrk
         strrchr strsep strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoul strtoull strxfrm
         swab symlink sync system tan tanh tempnam tgamma thread_local time time_t tmpfile tmpnam tolower toupper
         true trunc typeof_unqual uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t umask uname ungetc unix
         unlink usleep va_arg va_copy va_end va_list va_start vfork vfprintf vfscanf vprintf vscanf vsnprintf
         vsprintf vsscanf wait waitpid wchar_t wcscat wcscmp wcscpy wcslen wcstombs wint_t wprintf write y0 y1 yn"
    ),
};

/// Words that start or make up a type, and nothing else.
pub(crate) const TYPE_WORDS: &[&str] =
    words!("_Bool bool char const double enum float int long short signed struct union unsigned void volatile");

/// Macros of well-known headers that take the name of a member: which of their arguments it is. A `*` stands
/// for any beginning; what comes first holds. The lists of BSD, of QEMU (whose macros start with a Q) and of
/// Linux also take the tag of a list's head, which is not a variable either.
const MEMBER_ARGUMENTS: &[(&[usize], &[&str])] = &[
    (&[2, 3], words!("*SLIST_REMOVE *SIMPLEQ_REMOVE *STAILQ_REMOVE *Q_FOREACH_REVERSE *Q_FOREACH_REVERSE_SAFE")),
    (
        &[2],
        words!(
            "CONTAINING_RECORD *LIST_FOREACH *LIST_FOREACH_RCU *LIST_FOREACH_SAFE *LIST_FOREACH_SAFE_RCU
             *LIST_INSERT_AFTER *LIST_INSERT_BEFORE *LIST_INSERT_HEAD *LIST_INSERT_HEAD_ATOMIC *LIST_INSERT_HEAD_RCU
             *Q_FOREACH *Q_FOREACH_RCU *Q_FOREACH_SAFE *Q_INSERT_BEFORE *Q_INSERT_HEAD *Q_INSERT_TAIL *Q_REMOVE
             container_of hlist_entry hlist_for_each_entry list_entry list_first_entry list_for_each_entry
             list_for_each_entry_rcu list_for_each_entry_reverse list_last_entry rb_entry"
        ),
    ),
    (
        &[1],
        words!(
            "__builtin_offsetof DO_UPCAST FIELD_SIZEOF G_STRUCT_OFFSET *LIST_SAFE_REMOVE *LIST_NEXT *LIST_REMOVE *LIST_REMOVE_AFTER
             *LIST_REMOVE_HEAD *LIST_REMOVE_RCU *LIST_IS_INSERTED *Q_IN_USE *Q_LAST *Q_NEXT *Q_REMOVE_HEAD
             list_next_entry list_prev_entry offset_of offsetof sizeof_field typeof_field"
        ),
    ),
    (&[3], words!("*Q_INSERT_AFTER list_for_each_entry_safe list_for_each_entry_safe_reverse")),
    (&[1, 2], words!("*Q_PREV")),
];

/// Which arguments of a macro from outside the input are names of members.
pub(crate) fn member_arguments(name: &str) -> &'static [usize] {
    if !name.contains('_') && name != "offsetof" {
        return &[];
    }
    let matches = |pattern: &str| pattern.strip_prefix('*').map_or(name == pattern, |end| name.ends_with(end));
    let is_known = |(_, patterns): &&(_, &[&str])| patterns.iter().any(|pattern| matches(pattern));
    MEMBER_ARGUMENTS.iter().find(is_known).map_or(&[], |(places, _)| places)
}
