import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

/** Turns bytes of a text, piece after piece, into characters. */
export interface Decoder {
  /** As the reader is told it. */
  readonly encoding: string;
  write(bytes: Buffer): string;
  end(): string;
}

/** What the first bytes of a file say: text and how to read it, or what else it is. */
export type Sniffed = { readonly decoder: Decoder } | { readonly binary: string };

/** First bytes → kind, for what people keep beside their sources. */
const KINDS: readonly (readonly [kind: string, magic: string])[] = [
  ['PNG image', '\x89PNG\r\n'],
  ['JPEG image', '\xff\xd8\xff'],
  ['GIF image', 'GIF87a'],
  ['GIF image', 'GIF89a'],
  ['PDF document', '%PDF-'],
  ['ZIP archive or office document', 'PK\x03\x04'],
  ['gzip archive', '\x1f\x8b\x08'],
  ['xz archive', '\xfd7zXZ\0'],
  ['Zstandard archive', '\x28\xb5\x2f\xfd'],
  ['bzip2 archive', 'BZh'],
  ['SQLite database', 'SQLite format 3\0'],
  ['ELF program or library', '\x7fELF'],
  ['Mach-O program or library', '\xcf\xfa\xed\xfe'],
  ['Java class or Mach-O program', '\xca\xfe\xba\xbe'],
  ['WebAssembly module', '\0asm'],
  ['WOFF font', 'wOFF'],
  ['WOFF font', 'wOF2'],
  ['Ogg media', 'OggS'],
];

/**
 * Looks at the first bytes of a file (`whole`: all of it). Text is UTF-8, with or without byte order mark, UTF-16
 * with one, or else Latin-1. NUL means binary; in later pieces the caller looks for it, as a NUL among characters.
 */
export function sniff(first: Buffer, whole: boolean): Sniffed {
  const kind = kindOf(first);
  if (kind) return { binary: kind };
  if (first[0] === 0xff && first[1] === 0xfe) return utf16('utf-16le', 2);
  if (first[0] === 0xfe && first[1] === 0xff) return utf16('utf-16be', 2);
  if (first.includes(0)) return { binary: 'binary data' };
  if (first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf) {
    return { decoder: decoderOf('utf-8', 'utf-8 with byte order mark', 3) };
  }
  const name = isUtf8(whole ? first : completeUtf8(first)) ? 'utf-8' : 'latin1';
  return { decoder: decoderOf(name, name, 0) };
}

function kindOf(first: Buffer): string | undefined {
  const head = first.toString('latin1', 0, 16);
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'WebP image';
  return KINDS.find(([, magic]) => head.startsWith(magic))?.[0];
}

function utf16(encoding: 'utf-16le' | 'utf-16be', mark: number): Sniffed {
  const decoder = decoderOf('utf16le', encoding, mark);
  return { decoder: encoding === 'utf-16le' ? decoder : swapped(decoder) };
}

function decoderOf(name: 'utf-8' | 'utf16le' | 'latin1', encoding: string, mark: number): Decoder {
  const decoder = new StringDecoder(name);
  let skip = mark;
  return {
    encoding,
    write(bytes) {
      const rest = skip > 0 ? bytes.subarray(skip) : bytes;
      skip = 0;
      return decoder.write(rest);
    },
    end: () => decoder.end(),
  };
}

/** Big-endian pairs, exchanged in a copy; a pair may lie across two pieces. */
function swapped(decoder: Decoder): Decoder {
  let odd = Buffer.alloc(0);
  return {
    encoding: decoder.encoding,
    write(bytes) {
      const all = Buffer.concat([odd, bytes]);
      const even = all.length - (all.length % 2);
      odd = all.subarray(even);
      return decoder.write(all.subarray(0, even).swap16());
    },
    end: () => decoder.end(),
  };
}

/** Without a character at the end of which a part has yet to come. */
function completeUtf8(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back);
    if (byte < 0x80) break;
  }
  return bytes;
}
