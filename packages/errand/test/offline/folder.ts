import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Files by their paths; a folder with just these, gone with the test. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const { folder, remove } = looseFolder(files);
  onTestFinished(remove);
  return folder;
}

/** The same where a test makes many: whoever makes it removes it. */
export function looseFolder(files: Readonly<Record<string, string>>): { readonly folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'errand-offline-')));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A small shop in several languages. */
export const SHOP: Readonly<Record<string, string>> = {
  'README.md': '# Shop\n\nThe `settleOrder` step is described in docs/orders.md.\n',
  'package.json': '{\n  "name": "shop",\n  "version": "1.2.3"\n}\n',
  'docs/orders.md': '# Orders\n\n## Settling\n\nAn order is settled once it is paid. See `settleOrder`.\n',
  'src/orders/settle.ts': [
    "import { log } from '../log.ts';",
    '',
    '/** Settles an order: takes the payment and closes it. */',
    'export function settleOrder(order: Order): Receipt {',
    '  if (order.lines.length === 0) {',
    "    throw new Error('order ' + order.id + ' has no lines to settle');",
    '  }',
    '  log(order.id);',
    '  return { order: order.id };',
    '}',
    '',
  ].join('\n'),
  'src/orders/cart.ts': [
    "import { settleOrder } from './settle.ts';",
    '',
    'export class Cart {',
    '  checkout(): Receipt {',
    '    return settleOrder(this.order);',
    '  }',
    '}',
    '',
  ].join('\n'),
  'src/log.ts': 'export function log(text: string): void {\n  process.stderr.write(text);\n}\n',
  'src/retry/backoff.ts':
    'const FIRST = 100;\n\n// Waits longer after every failed attempt.\nexport function retryDelay(attempt: number): number {\n  return FIRST * 2 ** attempt;\n}\n',
  'server/main.go': 'package main\n\nfunc (s *Server) ServeOrder(id string) error {\n\treturn s.store.Load(id)\n}\n',
  'worker/jobs.py':
    'import os\n\n\nclass JobRunner:\n    """Runs jobs one after the other."""\n\n    def run_next(self):\n        limit = os.environ["JOB_LIMIT"]\n        return self.queue.pop(limit)\n',
  'engine/lib.rs':
    'pub struct Engine { pub speed: u32 }\n\nimpl Engine {\n    pub fn start_up(&self) -> u32 {\n        self.speed\n    }\n}\n',
  'test/cart.test.ts':
    "import { settleOrder } from '../src/orders/settle.ts';\n\nit('settles', () => {\n  expect(settleOrder(order)).toEqual({ order: 'a' });\n});\n",
};
