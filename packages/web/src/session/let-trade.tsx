import { useWords } from '../lib/words.ts';
import { Button } from '../ui/button.tsx';
import { ErrorSentence } from '../ui/error-sentence.tsx';
import { useDoing } from '../ui/use-doing.ts';
import { enableTrading } from './browser-wallets.ts';
import { useSession } from './use-session.ts';

/** In a ticket, for a wallet without an agent in this browser: what is lacking, and the button for it. */
export function LetTrade() {
  const t = useWords();
  const { error, isBusy, run } = useDoing();
  const isConnected = useSession()?.owner !== undefined;
  return (
    <div className="flex flex-col gap-2">
      <Button
        kind="accent"
        size="large"
        isWide
        isBusy={isBusy}
        disabled={!isConnected}
        onClick={() => void run(enableTrading)}
      >
        {t('header.enableTrading')}
      </Button>
      <p className="text-12 text-muted">
        {isConnected ? t('wallet.letTrade') : t('wallet.comeBack')}
      </p>
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  );
}
