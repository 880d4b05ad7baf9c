import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OTHERS_READ = 0o077;
const OTHERS_WRITE = 0o022;

/** What is possible and unwise about where a key lies: a file, or `env:NAME`. */
export function keyPlaceWarnings(setting: string): readonly string[] {
  if (setting.startsWith('env:')) return [];
  let file: string;
  try {
    file = realpathSync(setting);
  } catch {
    // Reading the key says what is wrong.
    return [];
  }
  const folder = dirname(file);
  const tree = workTreeOf(folder);
  const isRead = (statSync(file).mode & OTHERS_READ) !== 0;
  const isOpen = (statSync(folder).mode & OTHERS_WRITE) !== 0;
  return [
    ...(tree === undefined
      ? []
      : [`warning: ${setting} is in the git work tree ${tree}, which may be published`]),
    ...(isRead ? [`warning: other users can read ${setting}; run chmod 600 ${setting}`] : []),
    ...(isOpen ? [`warning: other users can replace ${setting}`] : []),
  ];
}

/** The nearest folder above that git keeps; in a linked work tree `.git` is a file. */
function workTreeOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}
