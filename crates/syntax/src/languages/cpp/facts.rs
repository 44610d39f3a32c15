//! C++.

use crate::languages::Facts;
use crate::words;

pub(crate) const FACTS: Facts = Facts {
    keywords: words!(
        "_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local alignas
         alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
         co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default
         delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int
         long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
         reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
         this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile
         wchar_t while xor xor_eq"
    ),
    reserved: words!(
        "BUFSIZ CHAR_BIT CHAR_MAX CHAR_MIN CLOCKS_PER_SEC DBL_EPSILON DBL_MAX DBL_MIN DIR EOF EXIT_FAILURE
         EXIT_SUCCESS FILE FLT_EPSILON FLT_MAX FLT_MIN HUGE_VAL I INFINITY INT16_MAX INT32_MAX INT32_MIN INT64_MAX
         INT64_MIN INT_MAX INT_MIN LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN M_E M_PI NAN NULL PATH_MAX RAND_MAX
         SCHAR_MAX SCHAR_MIN SEEK_CUR SEEK_END SEEK_SET SHRT_MAX SHRT_MIN SIZE_MAX UCHAR_MAX UINT32_MAX UINT64_MAX
         UINT_MAX ULLONG_MAX ULONG_MAX USHRT_MAX abort abs accept access accumulate acos adjacent_find advance alarm
         all_of alloca allocator any any_of array asin assert async atan atan2 atexit atof atoi atol atoll atomic
         back_inserter bad_alloc basic_string begin binary_search bind bitset bool_constant bsearch calloc cbegin
         cbrt ceil cend cerr char_traits chrono cin clamp clearerr clock clock_t clog close codecvt common_type
         complex condition_variable connect copy copy_if copysign cos cosh count count_if cout crbegin creal cref
         crend ctime data decay declval default_random_engine deque difftime distance div div_t dup dup2 empty end
         endl environ equal equal_range erf erfc errno exception exchange execv execve exit exp expm1 fabs fabsf far
         fclose fdim feof ferror fflush fgetc fgetpos fgets fileno filesystem fill fill_n final find find_if
         find_if_not fixed floor floorf flush fma fmax fmin fmod fopen for_each fork forward forward_list fprintf
         fputc fputs fread free freopen frexp from_chars front_inserter fscanf fseek fsetpos fstream ftell ftruncate
         function future fwrite gamma gcd generate get getc getchar getcwd getenv getline getopt getpid gets
         gettimeofday gmtime greater hash hex huge hypot i386 ifstream ignore ilogb import index initializer_list
         inner_product inserter int16_t int32_t int64_t int8_t int_fast32_t int_least32_t interrupt intmax_t intptr_t
         invoke ioctl iostream iota is_permutation is_same is_sorted isalnum isalpha isatty iscntrl isdigit isfinite
         isgraph isinf islower isnan isprint ispunct isspace istream istringstream isupper isxdigit iter_swap
         iterator j0 j1 jn kill labs launder lcm ldexp ldiv left less lexicographical_compare lgamma link linux list
         listen literals llabs llround locale localtime lock_guard log log10 log1p log2 logb logic_error longjmp
         lower_bound lrand48 lround lseek lstat main make_heap make_pair make_shared make_tuple make_unique malloc
         map max max_align_t max_element mbstowcs mem_fn memccpy memchr memcmp memcpy memmove memset merge min
         min_element minmax minus mkdir mktime mmap modf module modulus monostate move move_backward multimap
         multiplies multiset munmap mutex nan nanosleep near nearbyint negate next next_permutation none_of noreturn
         nth_element nullopt nullopt_t nullptr_t numbers numeric_limits oct offsetof ofstream open optarg opterr
         optind optional optopt ostream ostringstream out_of_range override packaged_task pair partial_sort
         partial_sum partition pascal pause perror pipe plus pop_heap popen pow prev prev_permutation printf
         priority_queue promise pthread_create pthread_mutex_t pthread_t ptrdiff_t push_heap putc putchar putenv puts
         qsort queue quick_exit raise rand random random_shuffle range_error ranges ratio rbegin read realloc
         recursive_mutex recv reduce ref regex remainder remove remove_if rename rend replace replace_if restrict
         reverse reverse_iterator rewind right rint rmdir rotate round runtime_error scalbn scanf scoped_lock search
         select send set set_difference set_intersection set_union setbuf setenv setfill setjmp setprecision setvbuf
         setw shared_mutex shared_ptr shuffle sigaction signal sin sinh size size_t sleep snprintf socket sort
         sort_heap span sprintf sqrt srand srandom sscanf ssize ssize_t stable_sort stack stat std stderr stdin
         stdout stod stoi stol stoll strcasecmp strcat strchr strcmp strcoll strcpy strcspn strdup strerror strftime
         string string_view stringstream strlen strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr
         strsep strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoul strtoull strxfrm swab swap
         swap_ranges symlink sync system tan tanh tempnam tgamma this_thread thread tie time time_t tmpfile tmpnam
         to_string tolower toupper transform trunc tuple tuple_size type_info typeof_unqual u16string u32string
         uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t umask uname underlying_type ungetc
         uniform_int_distribution uniform_real_distribution unique unique_lock unique_ptr unix unlink unordered_map
         unordered_multimap unordered_set upper_bound usleep va_arg va_copy va_end va_list va_start valarray variant
         vector vfork vfprintf vfscanf visit vprintf vscanf vsnprintf vsprintf vsscanf wait waitpid wcscat wcscmp
         wcscpy wcslen wcstombs weak_ptr wint_t wprintf write ws wstring y0 y1 yn"
    ),
};
