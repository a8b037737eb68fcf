import { createFiles } from '../host/files/create-files.ts';

/** Whether files can be searched here, by doing it; null: they can, else what is in the way. */
export async function searchFault(folder: string): Promise<string | null> {
  const request = { pattern: 'errand', fixed: true, maxMatches: 1, maxLine: 80 };
  const found = await createFiles().workspace(folder).search(request, AbortSignal.timeout(10_000));
  return found.ok ? null : found.error.message;
}
