import type { HttpEdge } from '@oddlot/host/http';
import { hostText } from '@oddlot/host/operate';
import type { HttpPort } from '@oddlot/host/ports';
import { type Config, operationsPortOf } from '../config.ts';
import type { OpenedSettlement } from '../settlement/open-settlement.ts';

type PortUrls = { readonly url: string; readonly operationsUrl: string };

/** Opens the public port and the operator's, says where they are, and starts who comes through them. */
export async function openPorts(
  config: Config,
  {
    http,
    money,
    operations,
  }: {
    readonly http: HttpEdge;
    readonly operations: HttpPort;
    readonly money: Pick<OpenedSettlement, 'allowPage'> | undefined;
  },
  visitor: { start(urls: PortUrls): Promise<void> },
): Promise<PortUrls> {
  const port = await http.listen(config.port, config.host);
  // Wallets on the page ask the local chain, which stands on another port.
  money?.allowPage(port);
  const operationsPort = await operations.listen(operationsPortOf(config), config.opsHost);
  const urls = {
    url: `http://${hostText(config.host)}:${port}`,
    operationsUrl: `http://${hostText(config.opsHost)}:${operationsPort}`,
  };
  await visitor.start(urls);
  return urls;
}
