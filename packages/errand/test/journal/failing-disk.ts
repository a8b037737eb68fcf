import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Connect } from '../../src/stores/sqlite/open.ts';

/** SQLite's extended result codes, as Node puts them on an error. */
export const FAULTS = {
  write: { errcode: 778, message: 'disk I/O error' },
  read: { errcode: 266, message: 'disk I/O error' },
  full: { errcode: 13, message: 'database or disk is full' },
  readOnly: { errcode: 8, message: 'attempt to write a readonly database' },
  busy: { errcode: 5, message: 'database is locked' },
  corrupt: { errcode: 267, message: 'database disk image is malformed' },
} as const;
export type FaultName = keyof typeof FAULTS;

/** A disk between a journal and SQLite that fails when told to; it counts what is asked of it. */
export class FailingDisk {
  /** SQL of each statement that was run, in order. */
  readonly statements: string[] = [];
  /** Rows that `all` has given, over all statements. */
  rows = 0;
  #fails: (sql: string) => FaultName | null = () => null;

  readonly connect: Connect = (location, options) => this.#database(new DatabaseSync(location, options));

  /** From now on each statement is asked first whether, and how, it fails. */
  failWhen(fails: (sql: string) => FaultName | null): void {
    this.#fails = fails;
  }

  heal(): void {
    this.#fails = () => null;
  }

  #database(database: DatabaseSync): DatabaseSync {
    return intercepted(database, {
      exec: (sql: string) => this.#run(sql, () => database.exec(sql)),
      prepare: (sql: string) => this.#statement(database.prepare(sql), sql),
    });
  }

  #statement(statement: StatementSync, sql: string): StatementSync {
    const through = (name: 'run' | 'get' | 'all' | 'iterate') => {
      return (...values: unknown[]) =>
        this.#run(sql, () => Reflect.apply(statement[name] as (...all: unknown[]) => unknown, statement, values));
    };
    return intercepted(statement, {
      run: through('run'),
      get: through('get'),
      all: through('all'),
      iterate: through('iterate'),
    });
  }

  #run<Value>(sql: string, run: () => Value): Value {
    this.statements.push(sql);
    const name = this.#fails(sql);
    if (name === null) {
      const value = run();
      if (Array.isArray(value)) this.rows += value.length;
      return value;
    }
    const { errcode, message } = FAULTS[name];
    throw Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
  }
}

/** The object with some of its methods put in place of its own. */
function intercepted<Target extends object>(target: Target, methods: Readonly<Record<string, unknown>>): Target {
  return new Proxy(target, {
    get: (_target, name) => {
      if (typeof name === 'string' && name in methods) return methods[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
