import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@oddlot/host/log';
import { SettingError } from '@oddlot/host/settings';
import type { Config } from '../config.ts';
import { BlockStream } from '../cluster/block-stream.ts';
import type { Credentials } from '../cluster/connect-to.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Connects to the servers, and logs what could not be checked. */
export async function openStream(
  config: Config,
  {
    env,
    log,
    name,
    clientName,
    servers,
    ...asked
  }: {
    readonly name: string;
    readonly servers: string;
    readonly clientName: string;
    readonly env: Environment;
    readonly log: Logger;
    readonly firstWithinMs?: number;
    readonly makesNone?: boolean;
  },
): Promise<BlockStream> {
  return BlockStream.open({
    ...asked,
    servers: serversOf(servers),
    cluster: name,
    clientName,
    replicas: config.streamReplicas,
    credentials: credentialsOf(config, env),
    onWeak: onWeakOf(config, log),
    monitors: config.natsMonitors,
    onUnchecked: (unchecked) =>
      log[config.natsMonitors.length === 0 ? 'info' : 'warn'](
        { unchecked },
        'could not verify that these NATS servers sync every message (sync_interval: ' +
          'always); pass their monitoring ports with --nats-monitors',
      ),
  });
}

/** Takes a stream for what it is where an operator has said so, and says what it could lose. */
export function onWeakOf({ acceptWeakStream }: Config, log: Logger) {
  if (!acceptWeakStream) return undefined;
  return (faults: readonly string[]): void =>
    log.warn({ faults }, 'weak stream accepted: it could lose acknowledged blocks');
}

/** `nats://a:4222,b:4222` as the client library takes it. */
function serversOf(url: string): string[] {
  const [scheme, rest = ''] = url.split('://', 2);
  return rest.split(',').map((address) => `${scheme}://${address.trim()}`);
}

function credentialsOf(config: Config, env: Environment): Credentials {
  const { natsPassword, natsTls, natsUser } = config;
  const file = (name: string): string | undefined => {
    const path = natsTls === undefined ? undefined : join(natsTls, name);
    return path !== undefined && existsSync(path) ? path : undefined;
  };
  return {
    user: natsUser,
    password: natsPassword === undefined ? undefined : secretAt(natsPassword, env),
    caFile: file('ca.pem'),
    certFile: file('cert.pem'),
    keyFile: file('key.pem'),
  };
}

function secretAt(place: string, env: Environment): string {
  if (!place.startsWith('env:')) return readFileSync(place, 'utf8').trim();
  const secret = env[place.slice('env:'.length)];
  if (secret === undefined) throw new SettingError(`natsPassword: ${place} is not set`);
  return secret;
}
