import type { IncomingMessage } from 'node:http';
import { TransportError, toTransportError } from './transport-error.ts';

/** Sees each piece of a body before it is handed on; may hold it back (null) and give it later, changed. */
export interface BodyFilter {
  push(piece: Buffer): Uint8Array | null;
  /** What is still held back at the end. */
  end(): Uint8Array | null;
}

export interface ResponseBodyOptions {
  /** More bytes than this are `too_large`. */
  readonly maxBytes: number;
  /** What is beyond `maxBytes` is left out instead. */
  readonly cutQuietly: boolean;
  readonly filter: BodyFilter | null;
  /** Called whenever something has arrived. */
  readonly onPiece: () => void;
  /** Called once, when the body is read to its end, broken or given up. */
  readonly onClose: () => void;
}

type Piece = { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value: undefined };

interface Waiting {
  readonly resolve: (piece: Piece) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The body of a response, read on demand: what has arrived meanwhile comes in one piece, and what nobody asks for
 * stays in the socket. It has the parts of a web ReadableStream that a reader needs, without its cost.
 */
export class ResponseBody {
  #response: IncomingMessage;
  #options: ResponseBodyOptions;
  #waiting: Waiting | null = null;
  #bytes = 0;
  #ended = false;
  #rest: Uint8Array | null = null;
  #error: unknown;

  constructor(response: IncomingMessage, options: ResponseBodyOptions) {
    this.#response = response;
    this.#options = options;
    response.on('readable', () => this.#pump());
    response.on('end', () => this.#end());
    response.on('error', (error) => this.fail(toTransportError(error, true)));
  }

  /** The one reader there is; web streams call it so. */
  getReader(): this {
    return this;
  }

  releaseLock(): void {}

  read(): Promise<Piece> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#pump();
    });
  }

  /** Gives up: the socket is destroyed unless everything had been read. */
  cancel(): Promise<void> {
    this.fail(new TransportError('aborted', 'the response was given up'));
    return Promise.resolve();
  }

  /** Ends the body with an error, now. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#error = error;
    this.#giveUp();
  }

  #pump(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    if (this.#ended) {
      this.#settle();
      return;
    }
    const piece = this.#response.read() as Buffer | null;
    if (piece === null) return;
    this.#bytes += piece.length;
    this.#options.onPiece();
    if (this.#bytes > this.#options.maxBytes) {
      if (this.#options.cutQuietly) this.#giveUp();
      else this.fail(new TransportError('too_large', `more than ${this.#options.maxBytes} bytes`));
      return;
    }
    const value = this.#options.filter ? this.#options.filter.push(piece) : piece;
    if (value === null) return;
    this.#waiting = null;
    waiting.resolve({ done: false, value });
  }

  #giveUp(): void {
    this.#close();
    this.#response.destroy();
  }

  #end(): void {
    if (this.#ended) return;
    this.#rest = this.#options.filter?.end() ?? null;
    this.#close();
  }

  #close(): void {
    this.#ended = true;
    this.#options.onClose();
    this.#settle();
  }

  #settle(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = null;
    const rest = this.#rest;
    this.#rest = null;
    if (this.#error !== undefined) waiting.reject(this.#error);
    else waiting.resolve(rest ? { done: false, value: rest } : { done: true, value: undefined });
  }
}
