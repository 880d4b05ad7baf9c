import type { Logger } from '@oddlot/host/log';
import type { Config } from '../config.ts';
import { adoptServiceName, lockData } from '../log/data-folder.ts';
import { ownNetwork } from './own-network.ts';

/** The folder is this process's own from here on, and has the name that it will always have. */
export async function takeFolder(config: Config, clusterNetwork: string | undefined, log: Logger) {
  const lock = await lockData(config.data);
  try {
    if (clusterNetwork !== undefined) adoptServiceName(config.data, clusterNetwork);
    return { lock, ...(await ownNetwork(config, log)) };
  } catch (error) {
    lock.release();
    throw error;
  }
}
