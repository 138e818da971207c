/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a carousel's slides and dots are groups (WAI-ARIA APG), and a fieldset is
   one of a form */
import { ActionIcon, Button, Modal } from '@mantine/core';
import type { Evidence } from '@propusk/contract/protection';
import * as t from '@propusk/phrases/console';
import { IconArrowLeft, IconArrowRight, IconCircleCheck } from '@tabler/icons-react';
import { type ComponentType, type KeyboardEvent, Suspense, type TouchEvent, useRef, useState } from 'react';
import { downloads } from '../../paths.ts';
import { lazyOptional } from '../../ui/lazy.tsx';
import classes from './onboarding-dialog.module.css';
import { SitesScene } from './sites-scene.tsx';

// Later pictures are fetched when their slide is near: an owner who skips the slides never needs them.
const HtaccessScene = lazyOptional(() => import('./htaccess-scene.tsx'), 'HtaccessScene');
const ExtensionScene = lazyOptional(() => import('./extension-scene.tsx'), 'ExtensionScene');
const UsersScene = lazyOptional(() => import('./users-scene.tsx'), 'UsersScene');

/** Spec section 2, dialogs: the four slides in their order. */
const steps = [
  { Scene: SitesScene, proof: 'siteExists' },
  { Scene: HtaccessScene, proof: 'lockVerified' },
  { Scene: ExtensionScene, proof: 'extensionSeen' },
  { Scene: UsersScene, proof: 'userHasPolicy' },
] as const satisfies readonly { Scene: ComponentType; proof: keyof Evidence }[];
const slides = t.onboarding.slides.map((slide, index) => ({ ...slide, ...(steps[index] ?? steps[0]) }));
const COUNT = slides.length;
/** A shorter swipe counts as a tap, in pixels. */
const SWIPE_PX = 40;

/** Props of the dialog. */
export interface OnboardingDialogProps {
  opened: boolean;
  /** The finished steps; undefined while unknown, and for users who are not owners. */
  evidence: Evidence | undefined;
  /** Escape: show again on the next visit. */
  onClose: () => void;
  onUnderstood: () => void;
}

/** The carousel of the first visit. All slides overlap, so that the tallest sets the height. */
export function OnboardingDialog({ opened, evidence, onClose, onUnderstood }: OnboardingDialogProps) {
  const [shown, setShown] = useState(0);
  const [near, setNear] = useState(false);
  const touchedAt = useRef(0);
  const ready = () => setNear(true);
  const show = (index: number) => {
    ready();
    setShown(index);
  };
  const go = (by: number) => show((shown + by + COUNT) % COUNT);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowLeft') go(-1);
    if (event.key === 'ArrowRight') go(1);
  }
  function onTouchEnd(event: TouchEvent) {
    const by = (event.changedTouches[0]?.clientX ?? touchedAt.current) - touchedAt.current;
    if (Math.abs(by) > SWIPE_PX) go(by < 0 ? 1 : -1);
  }

  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      centered
      size={560}
      padding={0}
      transitionProps={{ duration: 150, transition: 'fade' }}
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--backdrop)" />
      <Modal.Content aria-label={t.onboarding.label} className={classes.content}>
        {/* The carousel takes the focus itself: the arrow keys work at once, and Enter presses no button. */}
        <Modal.Body data-autofocus tabIndex={-1} className={classes.body} onKeyDown={onKeyDown}>
          <section
            aria-roledescription={t.onboarding.carousel}
            aria-label={t.onboarding.label}
            className={classes.slides}
            onTouchStart={(event) => {
              touchedAt.current = event.touches[0]?.clientX ?? 0;
            }}
            onTouchEnd={onTouchEnd}
          >
            {slides.map(({ title, text, Scene, proof }, index) => (
              <div
                key={title}
                role="group"
                aria-roledescription={t.onboarding.slide}
                aria-label={t.onboarding.position(index + 1, COUNT, title)}
                className={classes.slide}
                data-shown={index === shown || undefined}
                inert={index !== shown}
              >
                <div className={classes.picture}>
                  <Suspense fallback={null}>{(index === 0 || near) && <Scene />}</Suspense>
                  {evidence?.[proof] && (
                    <span className={classes.done}>
                      <IconCircleCheck size={16} aria-hidden />
                      {t.onboarding.done}
                    </span>
                  )}
                </div>
                <h2>{title}</h2>
                <p>{text}</p>
                {proof === 'extensionSeen' && <Downloads />}
              </div>
            ))}
          </section>
          <output className={classes.spoken}>
            {t.onboarding.position(shown + 1, COUNT, slides[shown]?.title ?? '')}
          </output>
          <footer className={classes.footer}>
            <div className={classes.controls}>
              <Arrow
                label={t.onboarding.previous}
                Icon={IconArrowLeft}
                onNear={ready}
                onClick={() => go(-1)}
              />
              <Dots shown={shown} onNear={ready} onShow={show} />
              <Arrow label={t.onboarding.next} Icon={IconArrowRight} onNear={ready} onClick={() => go(1)} />
            </div>
            <Button onClick={onUnderstood} className={classes.understood}>
              {t.onboarding.understood}
            </Button>
          </footer>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Download links on the extension's slide. */
function Downloads() {
  return (
    <div className={classes.downloads}>
      {(['chromium', 'firefox'] as const).map((browser) => (
        <Button
          key={browser}
          component="a"
          href={downloads[browser]}
          download
          variant="default"
          size="compact-md"
        >
          {t.onboarding.download[browser]}
        </Button>
      ))}
    </div>
  );
}

function Arrow(props: {
  label: string;
  Icon: typeof IconArrowLeft;
  onNear: () => void;
  onClick: () => void;
}) {
  const { label, Icon } = props;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={40}
      aria-label={label}
      title={label}
      onPointerEnter={props.onNear}
      onFocus={props.onNear}
      onClick={props.onClick}
    >
      <Icon size={20} stroke={1.75} aria-hidden />
    </ActionIcon>
  );
}

function Dots(props: { shown: number; onNear: () => void; onShow: (index: number) => void }) {
  const { shown, onShow } = props;
  return (
    <div className={classes.dots} role="group" aria-label={t.onboarding.dots}>
      {slides.map(({ title }, index) => (
        <button
          key={title}
          type="button"
          className={classes.dot}
          aria-label={t.onboarding.dot(index + 1, title)}
          aria-current={index === shown || undefined}
          onPointerEnter={props.onNear}
          onClick={() => onShow(index)}
        />
      ))}
    </div>
  );
}
