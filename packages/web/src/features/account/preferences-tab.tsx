import { useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { isDecimal, sign } from '../../lib/decimal.ts';
import { percent } from '../../lib/format.ts';
import { LANGUAGE_TAGS, LANGUAGES } from '../../lib/languages.ts';
import { useWords } from '../../lib/words.ts';
import { Checkbox, NumberField, Segmented, TextField } from '../../ui/controls.tsx';
import { prefer, preferences } from '../../ui/preferences.ts';

export function PreferencesTab() {
  const t = useWords();
  const { hasSound, language, marginNoticeFrom, marginShownFrom, sides, theme } =
    useStore(preferences);
  return (
    <div className="flex max-w-3xl flex-col divide-y divide-line">
      <Choice title={t('header.language')} text={t('account.languageText')}>
        <Segmented
          label={t('header.language')}
          value={language}
          onChange={(next) => prefer({ language: next })}
          segments={[
            { value: 'browser', label: t('header.languageBrowser') },
            ...LANGUAGE_TAGS.map((value) => ({ value, label: LANGUAGES[value].name })),
          ]}
        />
      </Choice>
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
      <OrderChoices />
      <Choice title={t('account.marginShown')} text={t('account.marginShownText')}>
        <Shares
          label={t('account.marginShown')}
          of={[30, 50, 70]}
          value={marginShownFrom}
          onChange={(next) => prefer({ marginShownFrom: next })}
        />
      </Choice>
      <Choice title={t('account.marginNotice')} text={t('account.marginNoticeText')}>
        <Shares
          label={t('account.marginNotice')}
          of={[60, 80, 90]}
          value={marginNoticeFrom}
          onChange={(next) => prefer({ marginNoticeFrom: next })}
        />
      </Choice>
    </div>
  );
}

const CONFIRMS = ['never', 'above', 'always'] as const;

function OrderChoices() {
  const t = useWords();
  const { confirmAbove, confirmOrders, hasOneClick, sizePresets } = useStore(preferences);
  return (
    <>
      <Choice title={t('account.confirm')} text={t('account.confirmText')}>
        <Segmented
          label={t('account.confirm')}
          value={confirmOrders}
          onChange={(next) => prefer({ confirmOrders: next })}
          segments={CONFIRMS.map((value) => ({ value, label: t(`account.confirms.${value}`) }))}
        />
        {confirmOrders === 'above' && (
          <NumberField
            label={t('account.confirmAbove')}
            value={confirmAbove}
            step="100"
            onChange={(next) => prefer({ confirmAbove: next })}
          />
        )}
      </Choice>
      <Choice title={t('account.oneClick')} text={t('account.oneClickText')}>
        <Checkbox
          label={t('account.oneClickOn')}
          isOn={hasOneClick}
          onChange={(next) => prefer({ hasOneClick: next })}
        />
      </Choice>
      <Choice title={t('account.presets')} text={t('account.presetsText')}>
        <Presets stored={sizePresets} />
      </Choice>
    </>
  );
}

const PRESETS_MAX = 4;

function Presets({ stored }: { readonly stored: readonly string[] }) {
  const t = useWords();
  const [typed, setTyped] = useState(stored.join(' '));
  return (
    <TextField
      label={t('account.presets')}
      isLabelHidden
      placeholder="100 500 1000"
      value={typed}
      onChange={(text) => {
        setTyped(text);
        const amounts = text.split(/[\s;]+/).filter((each) => isDecimal(each) && sign(each) > 0);
        prefer({ sizePresets: amounts.slice(0, PRESETS_MAX) });
      }}
    />
  );
}

type SharesProps = {
  readonly label: string;
  readonly of: readonly number[];
  readonly value: number;
  readonly onChange: (value: number) => void;
};

function Shares({ label, of, value, onChange }: SharesProps) {
  return (
    <Segmented
      label={label}
      value={String(value)}
      onChange={(next) => onChange(Number(next))}
      segments={of.map((each) => ({
        value: String(each),
        label: percent(String(each / 100), { decimals: 0 }),
      }))}
    />
  );
}

type ChoiceProps = { readonly title: string; readonly text: string; readonly children: ReactNode };

function Choice({ title, text, children }: ChoiceProps) {
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
