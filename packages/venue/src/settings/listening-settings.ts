import { HOST, HOST_NAMES, PORT, setting, SWITCH, TRUSTED_PROXIES } from '@oddlot/host/settings';

export const LISTENING_SETTINGS = {
  host: setting(HOST, {
    default: '127.0.0.1',
    help: 'interface of HTTP and WebSocket',
    isEveryday: true,
  }),
  port: setting(PORT, {
    default: 8690,
    help: 'port of HTTP and WebSocket; 0 takes any free one',
    isEveryday: true,
  }),
  // What opens the venue to the world does not open this.
  opsHost: setting(HOST, {
    default: '127.0.0.1',
    help: 'interface of metrics and health, whatever `host` is; keep it inside',
  }),
  opsPort: setting(PORT, {
    unset: 'the port + 2',
    help: 'port of metrics and health; 0 takes any free one, as does a port of 0',
  }),
  hostNames: HOST_NAMES,
  serveLog: setting(SWITCH, {
    default: false,
    help: 'serves the log on the operations port (`GET /log`), for [validators that believe nobody](../verify/independent-validators.md)',
  }),
  trustedProxies: TRUSTED_PROXIES,
};
