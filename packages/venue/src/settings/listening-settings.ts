import { HOST, HOST_NAMES, PORT, setting, SWITCH, TRUSTED_PROXIES } from '@oddlot/host/settings';

export const LISTENING_SETTINGS = {
  host: setting(HOST, {
    default: '127.0.0.1',
    help: 'Interface for HTTP and WebSocket',
    isEveryday: true,
  }),
  port: setting(PORT, {
    default: 8690,
    help: 'Port for HTTP and WebSocket; 0 selects a free one',
    isEveryday: true,
  }),
  // What opens the venue to the world does not open this.
  opsHost: setting(HOST, {
    default: '127.0.0.1',
    help: 'Interface for metrics and health, independent of `host`; keep it private',
  }),
  opsPort: setting(PORT, {
    unset: '`port` + 2',
    help: 'Port for metrics and health; 0 selects a free one, as does `port` 0',
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
