import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { fetchNatsServer, find, NATS_SERVER_NAMED } from './find-nats-server.ts';

/** Writes a program that prints the version of a NATS server. */
async function serverIn(folder: string, version: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const program = join(folder, 'nats-server');
  await writeFile(program, `#!/bin/sh\necho "nats-server: v${version}"\n`);
  await chmod(program, 0o755);
  return program;
}

const nothing = (): Promise<void> => Promise.reject(new Error('no network'));

test('a server on the PATH that loses messages is ignored in favour of a newer one', () =>
  inDirectory(async (folder) => {
    const [old, newer] = [join(folder, 'old'), join(folder, 'newer')];
    const refused = await serverIn(old, '2.9.10');
    const suitable = await serverIn(newer, '2.10.0');
    const cache = join(folder, 'cache');
    const both = { PATH: `${old}:${newer}` };
    expect(await find(both, { cache, fetch: nothing })).toEqual({ program: suitable });
    expect(await find({ PATH: old }, { cache, fetch: nothing })).toEqual({
      why: `${refused} is 2.9.10; fetching the Debian package failed: no network`,
    });
    const fetched = await serverIn(join(cache, 'usr/sbin'), '2.12.0');
    expect(await find({ PATH: old }, { cache, fetch: nothing })).toEqual({ program: fetched });
  }));

test('the environment can specify a server of any version, or disable servers', () =>
  inDirectory(async (folder) => {
    const old = await serverIn(folder, '2.9.10');
    expect(await find({ [NATS_SERVER_NAMED]: old, PATH: '' })).toEqual({ program: old });
    const missing = join(folder, 'missing');
    expect(await find({ [NATS_SERVER_NAMED]: missing })).toEqual({
      why: `${NATS_SERVER_NAMED}: spawn ${missing} ENOENT`,
    });
    expect(await find({ [NATS_SERVER_NAMED]: '' })).toEqual({
      why: `${NATS_SERVER_NAMED} is empty`,
    });
  }));

test('the error from a failed fetch gives the mirrors and the reason, and no files remain', () =>
  inDirectory(async (folder) => {
    const proxy = process.env['http_proxy'];
    const closed = 'http://127.0.0.1:9';
    for (const name of ['http_proxy', 'https_proxy']) process.env[name] = closed;
    try {
      const why = await fetchNatsServer(join(folder, 'cache')).catch(String);
      expect(why).toMatch(/127\.0\.0\.1:9|apt-get ENOENT|apt has no sources/);
    } finally {
      delete process.env['https_proxy'];
      if (proxy === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = proxy;
    }
    expect(await readdir(folder)).toEqual([]);
  }));
