import { useStore } from 'zustand';
import type { ReactNode } from 'react';
import { useWords } from '../../lib/words.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { prefer, preferences } from '../../ui/preferences.ts';
import { Segmented } from '../../ui/segmented.tsx';

/** How the page looks and sounds; kept in this browser. */
export function PreferencesTab() {
  const t = useWords();
  const { hasSound, sides, theme } = useStore(preferences);
  return (
    <div className="flex max-w-3xl flex-col divide-y divide-line">
      <Choice title={t('header.theme')} text={t('account.themeText')}>
        <Segmented
          label={t('header.theme')}
          value={theme}
          onChange={(next) => prefer({ theme: next })}
          segments={[
            { value: 'dark', label: t('header.themeDark') },
            { value: 'light', label: t('header.themeLight') },
            { value: 'system', label: t('header.themeSystem') },
          ]}
        />
      </Choice>
      <Choice title={t('header.sides')} text={t('account.sidesText')}>
        <Segmented
          label={t('header.sides')}
          value={sides}
          onChange={(next) => prefer({ sides: next })}
          segments={[
            { value: 'green-red', label: t('header.sidesGreenRed') },
            { value: 'blue-orange', label: t('header.sidesBlueOrange') },
          ]}
        />
      </Choice>
      <Choice title={t('account.sound')} text={t('account.soundText')}>
        <Checkbox
          label={t('account.soundOn')}
          isOn={hasSound}
          onChange={(next) => prefer({ hasSound: next })}
        />
      </Choice>
    </div>
  );
}

function Choice({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="flex flex-wrap items-center gap-x-6 gap-y-2 p-4">
      <div className="min-w-60 flex-1">
        <h2 className="text-13 font-medium">{title}</h2>
        <p className="text-12 text-muted">{text}</p>
      </div>
      <div className="w-full tablet:w-80">{children}</div>
    </section>
  );
}
