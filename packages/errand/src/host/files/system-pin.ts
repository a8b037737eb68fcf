import { pinByHandle } from './pin-by-handle.ts';
import { pinByName } from './pin-by-name.ts';
import type { Pin } from './pinned.ts';

/** The way of holding that suits this system. */
export function systemPin(): Pin {
  return process.platform === 'linux' && worksHere() ? pinByHandle : pinByName;
}

/** Where /proc is not mounted, or a system only poses as Linux, handles cannot be asked where they are. */
function worksHere(): boolean {
  const root = pinByHandle('/', '/');
  if (root.ok) root.value.close();
  return root.ok;
}
