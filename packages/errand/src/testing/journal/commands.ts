import assert from 'node:assert/strict';
import type { Command, Journal } from '../../ports/journal.ts';
import { BOOT, cancel, type JournalCase, rejectsWith } from './case.ts';

/** Resolves with the first `count` commands. */
function commandsOf(journal: Journal, bootId: string, count: number): Promise<readonly Command[]> {
  return new Promise((resolve) => {
    const commands: Command[] = [];
    const leave = journal.receiveCommands(bootId, (command) => {
      commands.push(command);
      if (commands.length < count) return;
      leave();
      resolve(commands);
    });
  });
}

/** Starts of processes, and what is asked of them. */
export const COMMANDS: readonly JournalCase[] = [
  {
    title: '[DUR-3] starts of processes are recorded until they are closed',
    run: async (journal) => {
      const other = { ...BOOT, boot_id: 'boot_2', process_start: null, started_at: 6 };
      await journal.openBoot(BOOT);
      await journal.openBoot(other);
      assert.deepEqual(await journal.boots(), [BOOT, other]);
      await journal.closeBoot(BOOT.boot_id);
      await journal.closeBoot('boot_none');
      assert.deepEqual(await journal.boots(), [other]);
    },
  },
  {
    title:
      '[DUR-6] commands reach the process they are for, once each, in order: those that waited and those that come',
    run: async (journal) => {
      await journal.openBoot(BOOT);
      await journal.openBoot({ ...BOOT, boot_id: 'boot_2' });
      await journal.sendCommand(BOOT.boot_id, cancel('run_a'));
      await journal.sendCommand('boot_2', cancel('run_other'));
      await journal.sendCommand(BOOT.boot_id, cancel('run_b'));
      const received = commandsOf(journal, BOOT.boot_id, 3);
      await journal.sendCommand(BOOT.boot_id, cancel('run_c'));
      const commands = await received;
      assert.deepEqual(
        commands.map(({ id: _id, ...command }) => command),
        [cancel('run_a'), cancel('run_b'), cancel('run_c')],
      );
      assert.equal(new Set(commands.map((command) => command.id)).size, 3);
      const next = commandsOf(journal, BOOT.boot_id, 1);
      await journal.sendCommand(BOOT.boot_id, cancel('run_d'));
      assert.deepEqual(
        (await next).map((command) => command.run_id),
        ['run_d'],
      );
    },
  },
  {
    title: '[DUR-6] a command for a process that is not there is refused, and goes with the process that closes',
    run: async (journal) => {
      await rejectsWith('conflict', journal.sendCommand('boot_none', cancel('run_a')));
      await journal.openBoot(BOOT);
      await journal.sendCommand(BOOT.boot_id, cancel('run_a'));
      await journal.closeBoot(BOOT.boot_id);
      await journal.openBoot(BOOT);
      const received = commandsOf(journal, BOOT.boot_id, 1);
      await journal.sendCommand(BOOT.boot_id, cancel('run_b'));
      assert.deepEqual(
        (await received).map((command) => command.run_id),
        ['run_b'],
      );
    },
  },
];
