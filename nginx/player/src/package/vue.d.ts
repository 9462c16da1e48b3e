// import type {} from 'svc-player/vue': the element in templates of Vue 3, whose compiler has to know that svc-player is a
// custom element (compilerOptions.isCustomElement).
import type { DefineComponent } from 'vue';
import type { SvcPlayerAttributes, SvcPlayerOptions } from './index.js';

declare module 'vue' {
  interface GlobalComponents {
    'svc-player': DefineComponent<SvcPlayerAttributes & Partial<SvcPlayerOptions> & { mediaId?: string; playlistId?: string }>;
  }
}
