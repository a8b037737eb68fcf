/** What a command writes to. */
export interface Output {
  readonly isTerminal: boolean;
  /** Width and height in cells, as they are now. */
  size(): { readonly width: number; readonly height: number };
  write(text: string): void;
  /** Settles once everything written has reached the system, or nobody reads any more. */
  flush(): Promise<void>;
  /** Nobody reads any more; what is written goes nowhere. */
  readonly closed: boolean;
  /** What kept the output from being written, where it was not the reader going away. */
  readonly fault: Error | null;
  /** Calls the listener once when the reader goes away. */
  onClosed(listener: () => void): void;
  /** The stream itself, for a renderer. */
  readonly stream: NodeJS.WriteStream;
}

/** How a system says that nobody reads any more. */
const GONE: ReadonlySet<string> = new Set(['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/** A reader that goes away (`errand ps | head`) ends the output quietly. */
export function createOutput(stream: NodeJS.WriteStream): Output {
  let closed = false;
  let fault: Error | null = null;
  let pending = 0;
  const listeners: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  const release = () => {
    for (const wake of waiting.splice(0)) wake();
  };
  const close = (error: NodeJS.ErrnoException) => {
    if (closed) return;
    closed = true;
    if (!GONE.has(error.code ?? '')) fault = error;
    release();
    for (const listener of listeners.splice(0)) listener();
  };
  stream.on('error', close);
  return {
    isTerminal: stream.isTTY === true,
    size: () => ({ width: stream.columns || 80, height: stream.rows || 24 }),
    write(text) {
      if (closed || text === '') return;
      pending++;
      stream.write(text, (error) => {
        pending--;
        if (error) close(error);
        else if (pending === 0) release();
      });
    },
    flush: () => (closed || pending === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    get closed() {
      return closed;
    },
    get fault() {
      return fault;
    },
    onClosed(listener) {
      if (closed) listener();
      else listeners.push(listener);
    },
    stream,
  };
}
