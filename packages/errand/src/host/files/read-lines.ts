import { closeSync, readSync, read as readWithCallback } from 'node:fs';
import { promisify } from 'node:util';
import { type Result, succeed } from '../../base/result.ts';
import type { FileFailure, ReadLines, ReadRequest } from '../../ports/files.ts';
import { type Decoder, sniff } from './decode.ts';
import { explain, failure, type Refused, shown, stopped } from './failure.ts';
import type { Ground } from './ground.ts';
import { LineCollector } from './line-collector.ts';
import type { Pinned } from './pinned.ts';

/** Up to here a file is read at once, into one buffer that all calls share: there is no turn of the loop in between. */
const SMALL = 64 * 1024;
const scratch = Buffer.allocUnsafeSlow(SMALL + 1);
const PIECE = 256 * 1024;
/** Up to here a file is read to its end, so that the number of its lines is known. */
const COUNTED = 8 * 1024 * 1024;

const readPiece = promisify(readWithCallback);

/** Reads lines of one ordinary text file of the workspace. */
export async function readLines(
  ground: Ground,
  request: ReadRequest,
  signal: AbortSignal,
): Promise<Result<ReadLines, FileFailure>> {
  if (signal.aborted) return stopped();
  const pinned = ground.pin(ground.root, request.path);
  if (!pinned.ok) return pinned;
  const file = pinned.value;
  try {
    const refusal = await refuse(ground, file, request.path);
    if (refusal) return refusal;
    const descriptor = file.open();
    try {
      const reading = new Reading(file, request);
      if (file.stats.size <= SMALL) {
        const length = readSync(descriptor, scratch, 0, scratch.length, 0);
        if (length <= SMALL) return reading.finish(scratch.subarray(0, length));
      }
      return await readPieces({ descriptor, size: file.stats.size }, reading, signal);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return explain(ground.root, request.path, error);
  } finally {
    file.close();
  }
}

/** Why what was found is no file of this workspace to be read, if so. */
export function refuse(ground: Ground, file: Pinned, path: string): Promise<Refused | undefined> | Refused | undefined {
  const { stats } = file;
  if (stats.isDirectory()) return failure('not_a_file', `${shown(path)} is a folder; list shows what is in it.`);
  if (!stats.isFile()) {
    return failure('not_a_file', `${shown(path)} is a ${specialOf(stats)}; only ordinary files can be read.`);
  }
  if (stats.nlink <= 1) return undefined;
  return ground.hardLinks
    .allInside(ground.root, file.path, stats)
    .then((inside) => (inside ? undefined : failure('outside', linkedIn(path))));
}

function linkedIn(path: string): string {
  return `${shown(path)} is a hard link: the same file has a name outside the workspace, so it is not read.`;
}

function specialOf(stats: Pinned['stats']): string {
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  if (stats.isSymbolicLink()) return 'link';
  return 'device';
}

async function readPieces(
  { descriptor, size }: { readonly descriptor: number; readonly size: number },
  reading: Reading,
  signal: AbortSignal,
): Promise<Result<ReadLines, FileFailure>> {
  const buffer = Buffer.allocUnsafe(PIECE);
  let position = 0;
  for (;;) {
    const { bytesRead } = await readPiece(descriptor, buffer, 0, PIECE, position);
    if (signal.aborted) return stopped();
    if (bytesRead === 0) return reading.finish();
    position += bytesRead;
    const refusal = reading.add(buffer.subarray(0, bytesRead), false);
    if (refusal) return refusal;
    if (reading.satisfied && Math.max(position, size) > COUNTED) return reading.result(false);
  }
}

/** The state of reading one file from its start. */
class Reading {
  readonly #file: Pinned;
  readonly #request: ReadRequest;
  readonly #from: number;
  readonly #collector: LineCollector;
  #decoder: Decoder | undefined;

  constructor(file: Pinned, request: ReadRequest) {
    this.#file = file;
    this.#request = request;
    this.#from = request.from ?? 1;
    this.#collector = new LineCollector({
      from: this.#from,
      to: request.to ?? Number.POSITIVE_INFINITY,
      maxBytes: request.maxBytes,
      maxLine: request.maxLine,
    });
  }

  get satisfied(): boolean {
    return this.#collector.satisfied;
  }

  add(bytes: Buffer, whole: boolean): Refused | undefined {
    if (!this.#decoder) {
      const sniffed = sniff(bytes, whole);
      if ('binary' in sniffed) return this.#binary(sniffed.binary);
      this.#decoder = sniffed.decoder;
    }
    const text = this.#decoder.write(bytes);
    if (text.includes('\0')) return this.#binary('binary data');
    this.#collector.add(text);
    return undefined;
  }

  finish(last?: Buffer): Result<ReadLines, FileFailure> {
    const refusal = last && last.length > 0 ? this.add(last, true) : undefined;
    if (refusal) return refusal;
    this.#collector.add(this.#decoder?.end() ?? '');
    this.#collector.finish();
    return this.result(true);
  }

  result(whole: boolean): Result<ReadLines, FileFailure> {
    const { lines, ended } = this.#collector;
    return succeed({
      path: this.#file.path,
      first: this.#from,
      lines,
      total: whole ? ended : null,
      more: whole ? this.#from - 1 + lines.length < ended : true,
      encoding: this.#decoder?.encoding ?? 'utf-8',
    });
  }

  #binary(kind: string): Refused {
    const size = this.#file.stats.size.toLocaleString('en-US');
    return failure(
      'binary',
      `${shown(this.#request.path)} is not text (${kind}, ${size} bytes); only text can be read.`,
    );
  }
}
