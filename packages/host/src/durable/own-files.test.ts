import {
  chmodSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inDirectory } from '@oddlot/testing/host/in-directory';
import { lockDirectory } from './directory-lock.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test("locking a folder removes other users' access to files written by an earlier release", () =>
  inDirectory(async (directory) => {
    const folder = join(directory, 'data');
    mkdirSync(join(folder, 'journal'), { recursive: true });
    const names = ['history.sqlite', 'history.sqlite-wal', 'journal/journal-1.log', 'sealed'];
    for (const name of names) {
      writeFileSync(join(folder, name), 'x');
      chmodSync(join(folder, name), name === 'sealed' ? 0o444 : 0o664);
    }
    const outside = join(directory, 'outside');
    writeFileSync(outside, 'x');
    chmodSync(outside, 0o644);
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(directory, 'nowhere'), join(folder, 'dangling'));
    const lock = lockDirectory(folder);
    try {
      expect(names.map((name) => modeOf(join(folder, name)))).toEqual(['600', '600', '600', '400']);
      // The target of a symbolic link is not part of the folder.
      expect(modeOf(outside)).toBe('644');
      for (const name of ['link', 'dangling']) unlinkSync(join(folder, name));
      const files = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
      expect(files).toContain('lock.pid');
      for (const name of files) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    } finally {
      lock.release();
    }
  }));
