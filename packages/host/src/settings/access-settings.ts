import { HOST, list, NETWORK, text } from './setting-kinds.ts';
import { setting } from './setting.ts';

/** Settings shared by the venue and the relay. */

export const TRUSTED_PROXIES = setting(list(NETWORK), {
  default: [],
  help:
    'Addresses and networks (such as `10.0.0.0/8`) of proxies whose `X-Forwarded-For` header ' +
    'is trusted',
  isEveryday: true,
});

/**
 * Host names under which browsers may read from a port. Pages from other sites cannot use these
 * names.
 */
export const HOST_NAMES = setting(
  list(
    text({
      pattern: /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/,
      expected: 'a host name in lower case, like venue.internal',
      placeholder: 'NAME',
    }),
  ),
  {
    default: [],
    help:
      'Host names, such as `monitor.example.internal`, that URLs of private ports may ' +
      'contain. Requests with other names are rejected with 403. IP addresses, `localhost` ' +
      'and names without a dot are always accepted',
  },
);

/** The settings for access to a local chain, by network and by web page. */
export const CHAIN_ACCESS = {
  chainHost: setting(HOST, {
    default: '127.0.0.1',
    help:
      'Interface on which the local chain and the second chain of a local relay listen; ' +
      'independent of `host`',
  }),
  pageOrigins: setting(
    list(
      text({
        pattern: /^https?:\/\/[^/\s]+$/,
        expected: 'an origin like https://venue.example',
        placeholder: 'ORIGIN',
      }),
    ),
    {
      default: [],
      help:
        'Origins of proxies that serve the trading page, such as `https://venue.example`. ' +
        "Pages from these origins, and pages on the venue's own port, may use the [local " +
        'chains](../build/local-chain.md#who-may-ask)',
    },
  ),
};
