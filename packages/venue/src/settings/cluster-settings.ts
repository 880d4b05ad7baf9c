import {
  FOLDER,
  HTTP_URL,
  list,
  SECRET_PLACE,
  setting,
  SWITCH,
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
      help: 'NATS servers whose JetStream has the log of a [cluster](cluster.md), as `nats://a,b,c`; the data folder then has a copy of it',
    },
  ),
  cluster: setting(text({ pattern: NAME, expected: NAME_TEXT, placeholder: 'NAME' }), {
    unset: 'none',
    help: 'the name of the cluster, by which its replicas find the same stream: letters, digits, `-` and `_`',
  }),
  replica: setting(text({ pattern: NAME, expected: NAME_TEXT, placeholder: 'NAME' }), {
    unset: 'the name of the machine, and the port',
    help: 'what this replica is called in logs, metrics and leases',
  }),
  publicUrl: setting(
    text({
      pattern: /^https?:\/\/[^\s/]+(\/[^\s]*)?$/,
      expected: 'an address like https://a.venue.example',
      placeholder: 'URL',
    }),
    {
      unset: 'not told',
      help: 'where clients reach this replica, and not the proxy in front of all; it is told in `settings`, so that those who lose another one come here',
    },
  ),
  streamReplicas: setting(whole(), {
    default: 3,
    help: 'servers that keep the stream; with fewer than 3 the death of one stops the venue or loses what it has acknowledged',
  }),
  acceptWeakStream: setting(SWITCH, {
    default: false,
    help: 'start although the stream, or a NATS server, could lose acknowledged blocks, and log why',
  }),
  natsMonitors: setting(list(HTTP_URL), {
    default: [],
    help: 'monitoring ports of the NATS servers, as `http://a:8222,http://b:8222`: a start checks there that each server syncs every message',
  }),
  acceptSnapshot: setting(
    text({ pattern: /^0x[0-9a-f]{64}$/, expected: '0x and 64 hex digits', placeholder: 'HASH' }),
    {
      unset: 'none',
      help: 'the content hash of a snapshot that the log does not attest and that this replica may still [begin with](cluster-runbook.md#snapshots-from-other-replicas)',
    },
  ),
  natsUser: setting(text({ placeholder: 'NAME' }), {
    unset: 'none',
    help: 'the user that the NATS servers know this replica as',
  }),
  natsPassword: setting(SECRET_PLACE, {
    unset: 'none',
    help: 'where its password is: `env:NAME`, or a file',
  }),
  natsTls: setting(FOLDER, {
    unset: 'none',
    help: 'folder with `ca.pem`, and `cert.pem` and `key.pem` where the servers ask for them',
  }),
};
