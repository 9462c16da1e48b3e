// import type {} from 'svc-player/react': the element in JSX, from React 19 on. Listeners of events are named as the
// events are: onplay, ontimeupdate, onseek. In a page that a server rendered, React does not set them: add listeners in an
// effect.
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { SvcPlayerAttributes, SvcPlayerElement, SvcPlayerElementEventMap, SvcPlayerOptions } from './index.js';

type Listeners = { [name in keyof SvcPlayerElementEventMap as `on${name}`]?: (event: SvcPlayerElementEventMap[name]) => void } &
  { [name in 'play' | 'pause' | 'playing' | 'timeupdate' | 'ended' | 'volumechange' | 'waiting' | 'error' as
    `on${name}`]?: (event: Event) => void };

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'svc-player': DetailedHTMLProps<HTMLAttributes<SvcPlayerElement>, SvcPlayerElement> & SvcPlayerAttributes &
        Partial<SvcPlayerOptions> & { mediaId?: string; playlistId?: string } & Listeners;
    }
  }
}
