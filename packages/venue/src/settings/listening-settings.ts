import { HOST, HOST_NAMES, PORT, setting, SWITCH, TRUSTED_PROXIES } from '@oddlot/host/settings';

export const LISTENING_SETTINGS = {
  host: setting(HOST, {
    default: '127.0.0.1',
    help: 'Interface of HTTP and WebSocket',
    isEveryday: true,
  }),
  port: setting(PORT, {
    default: 8690,
    help: 'Port of HTTP and WebSocket; 0 selects a free one',
    isEveryday: true,
  }),
  // What opens the venue to the world does not open this.
  opsHost: setting(HOST, {
    default: '127.0.0.1',
    help: 'Interface of metrics and health, independent of `host`; keep it private',
  }),
  opsPort: setting(PORT, {
    unset: 'the port + 2',
    help: 'Port of metrics and health; 0 selects a free one, as does a port of 0',
  }),
  hostNames: HOST_NAMES,
  serveLog: setting(SWITCH, {
    default: false,
    help:
      'Serve the log on the operations port (`GET /log`), for [independent ' +
      'validators](../verify/independent-validators.md)',
  }),
  trustedProxies: TRUSTED_PROXIES,
};
