import {
  FOLDER,
  HTTP_URL,
  list,
  SECRET_PLACE,
  setting,
  SWITCH,
  type SettingsOf,
  text,
  whole,
} from '@oddlot/host/settings';

const NAME = /^[A-Za-z0-9_-]{1,40}$/;
const NAME_TEXT = '1 to 40 letters, digits, - and _';

export const CLUSTER_SETTINGS = {
  log: setting(
    text({
      pattern: /^(nats|tls):\/\/[^\s,]+(,[^\s,]+)*$/,
      expected: 'servers like nats://10.0.0.1:4222,10.0.0.2:4222,10.0.0.3:4222',
      placeholder: 'URL',
    }),
    {
      unset: 'files in the data folder',
      help:
        'NATS servers with the JetStream log of a [cluster](cluster.md), as `nats://a,b,c`; ' +
        'the data folder then contains a copy of the log',
    },
  ),
  cluster: setting(text({ pattern: NAME, expected: NAME_TEXT, placeholder: 'NAME' }), {
    unset: 'none',
    help: 'Name of the cluster, which identifies its stream: letters, digits, `-` and `_`',
  }),
  replica: setting(text({ pattern: NAME, expected: NAME_TEXT, placeholder: 'NAME' }), {
    unset: "the machine's host name and the port",
    help: 'Name of this replica in logs, metrics and leases',
  }),
  publicUrl: setting(
    text({
      pattern: /^https?:\/\/[^\s/]+(\/[^\s]*)?$/,
      expected: 'an address like https://a.venue.example',
      placeholder: 'URL',
    }),
    {
      unset: 'not announced',
      help:
        'Public URL of this replica itself, not of a proxy in front of all replicas. It is ' +
        'listed in `settings`, so that clients can switch to it when another replica fails',
    },
  ),
  streamReplicas: setting(whole(), {
    default: 3,
    help:
      'Number of servers that store the stream; if there are fewer than 3, the failure of one server ' +
      'stops the venue or loses acknowledged actions',
  }),
  acceptWeakStream: setting(SWITCH, {
    default: false,
    help:
      'Start even if the stream or a NATS server could lose acknowledged blocks; the ' +
      'reasons are logged',
  }),
  natsMonitors: setting(list(HTTP_URL), {
    default: [],
    help:
      'URLs of the monitoring ports of the NATS servers, such as ' +
      '`http://a:8222,http://b:8222`. At startup, the venue uses them to check that each ' +
      'server syncs every message to disk',
  }),
  acceptSnapshot: setting(
    text({ pattern: /^0x[0-9a-f]{64}$/, expected: '0x and 64 hex digits', placeholder: 'HASH' }),
    {
      unset: 'none',
      help:
        'Content hash of a snapshot that this replica may [start ' +
        'from](cluster-runbook.md#snapshots-from-other-replicas) although the log does not ' +
        'attest it',
    },
  ),
  natsUser: setting(text({ placeholder: 'NAME' }), {
    unset: 'none',
    help: 'User name with which this replica connects to the NATS servers',
  }),
  natsPassword: setting(SECRET_PLACE, {
    unset: 'none',
    help: 'Password of `natsUser`: a file, or `env:NAME`',
  }),
  natsTls: setting(FOLDER, {
    unset: 'none',
    help:
      'Folder with `ca.pem` and, if the servers require client certificates, `cert.pem` and ' +
      '`key.pem`',
  }),
};

/** The settings of a replica that are read when it joins a cluster. */
export type ClusterConfig = SettingsOf<{ readonly cluster: typeof CLUSTER_SETTINGS }> & {
  readonly data: string;
  readonly port: number;
  readonly network: 'mainnet' | 'testnet';
  readonly serviceNetwork?: string | undefined;
};
