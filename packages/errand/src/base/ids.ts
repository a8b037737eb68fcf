import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Makes ids that sort by time: the prefix and `_`, 9 characters of time, 3 that count within a millisecond, 6 of chance (30 bits). */
export type Ids = (prefix: string) => string;

export function createIds(clock: Clock, random: Random): Ids {
  let lastTime = 0;
  let sequence = 0;
  return (prefix) => {
    const now = Math.max(clock.now(), lastTime);
    sequence = now === lastTime ? sequence + 1 : 0;
    lastTime = now;
    let time = '';
    for (let rest = now, i = 0; i < 9; i++, rest = Math.floor(rest / 32)) {
      time = ALPHABET.charAt(rest % 32) + time;
    }
    let tail = '';
    for (let rest = sequence, i = 0; i < 3; i++, rest = Math.floor(rest / 32)) {
      tail = ALPHABET.charAt(rest % 32) + tail;
    }
    for (let i = 0; i < 6; i++) tail += ALPHABET.charAt(Math.floor(random() * 32));
    return `${prefix}_${time}${tail}`;
  };
}

const FNV_OFFSET = 0x6c62272e07bb014262b821756295c58dn;
const FNV_PRIME = 0x1000000000000000000013bn;

/** The one id that follows from another: the same wherever it is asked for. As long as any id, and does not sort by time. */
export function followingId(prefix: string, id: string): string {
  // FNV-1a of 128 bits.
  let hash = FNV_OFFSET;
  for (let index = 0; index < id.length; index++)
    hash = BigInt.asUintN(128, (hash ^ BigInt(id.charCodeAt(index))) * FNV_PRIME);
  let text = '';
  for (let length = 0; length < 18; length++, hash >>= 5n) text += ALPHABET.charAt(Number(hash & 31n));
  return `${prefix}_${text}`;
}
