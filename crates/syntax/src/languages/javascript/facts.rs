//! JavaScript. The reserved names are those of the language, of browsers and of Node.

use crate::languages::Facts;
use crate::words;

pub(crate) const FACTS: Facts = Facts {
    keywords: words!(
        "await break case catch class const continue debugger default delete do else enum export extends false
         finally for function if implements import in instanceof interface let new null package private protected
         public return static super switch this throw true try typeof var void while with yield"
    ),
    reserved: words!(
        "AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array
         Blob Boolean Buffer CustomEvent DOMException DataView Date Element Error EvalError Event EventTarget File
         FileReader FinalizationRegistry Float32Array Float64Array FormData Function HTMLElement Headers Image
         Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math MutationObserver NaN Node Number Object
         Option Performance Promise Proxy RangeError ReadableStream ReferenceError Reflect RegExp Request Response
         Set SharedArrayBuffer String Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL
         URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly
         WebSocket Worker XMLHttpRequest __dirname __filename __proto__ accessor addEventListener alert arguments as
         async atob btoa cancelAnimationFrame clearImmediate clearInterval clearTimeout close closed confirm console
         constructor crypto decodeURI decodeURIComponent defer document encodeURI encodeURIComponent escape eval
         event exports external fetch focus frames from get global globalThis history indexedDB isFinite isNaN length
         localStorage location menubar meta module name navigator of opener origin parent parseFloat parseInt
         performance postMessage print process prompt prototype queueMicrotask removeEventListener
         requestAnimationFrame require screen self sessionStorage set setImmediate setInterval setTimeout status stop
         structuredClone target top undefined unescape using window"
    ),
};

/// Objects of the language and its hosts whose members are declared there.
pub(crate) const STANDARD_OBJECTS: &[&str] = words!(
    "AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob
     Boolean Buffer CustomEvent DOMException DataView Date Element Error EvalError Event EventTarget File FileReader
     FinalizationRegistry Float32Array Float64Array FormData Function HTMLElement Headers Image Infinity Int16Array
     Int32Array Int8Array Intl Iterator JSON Map Math MutationObserver NaN Node Number Object Option Performance
     Promise Proxy RangeError ReadableStream ReferenceError Reflect RegExp Request Response Set SharedArrayBuffer
     String Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array
     Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WebSocket Worker XMLHttpRequest console crypto
     document history indexedDB localStorage navigator performance process sessionStorage"
);

/// The members of texts, arrays, numbers and truth values that the standard names.
pub(crate) const STANDARD_MEMBERS: &[&str] = words!(
    "at charAt charCodeAt codePointAt concat copyWithin endsWith entries every fill filter find findIndex findLast
     findLastIndex flat flatMap forEach hasOwnProperty includes indexOf isPrototypeOf isWellFormed join keys
     lastIndexOf length localeCompare map match matchAll normalize padEnd padStart pop propertyIsEnumerable push
     reduce reduceRight repeat replace replaceAll reverse search shift slice some sort splice split startsWith substr
     substring toExponential toFixed toLocaleLowerCase toLocaleString toLocaleUpperCase toLowerCase toPrecision
     toReversed toSorted toSpliced toString toUpperCase toWellFormed trim trimEnd trimLeft trimRight trimStart
     unshift valueOf values with"
);
