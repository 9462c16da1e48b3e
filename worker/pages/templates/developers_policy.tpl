<h1>{{TITLE}}</h1>
<p class="lead">If your page sends a Content-Security-Policy, it must allow the player. Add these sources to your own directives.</p>
<h2 id="iframe-codes">Iframe codes</h2>
<p>Only the frame. A code of <code>/oembed</code> also has a small script: allow it by <code>script-src</code> as below, or leave the script away:</p>
{{BLOCK_POLICY_FRAME}}
<h2 id="script-codes">Script codes and the web component</h2>
<p>The player is in your page, so its script, data, videos and posters need a place. <code>blob:</code> is for the player’s own streams and captions:</p>
{{BLOCK_POLICY_ASYNC}}
<p>The inline sizes of the codes are style attributes. Without <code>style-src 'unsafe-inline'</code> they are dropped: then set the size in your own style sheet. The player itself sets them again in Chromium only. Without a size, a video is as wide as its place and at most 640 pixels, a popover 150 × 100.</p>
<p>If films, posters or captions are on other hosts, add these to <code>connect-src</code>, <code>media-src</code> and <code>img-src</code>.</p>
<p>The player also counts how often a film is loaded and played and which parts are seen, by requests to <code>connect-src</code> of the embed host. It sends a random number, no cookie, and stores nothing for this. With <code>doNotTrack=true</code>, Global Privacy Control or DNT it sends nothing. If a policy forbids these requests, viewing is not counted and the film plays. A frame sends them by its own policy: yours needs nothing for it.</p>
<h2 id="nonces">Nonces</h2>
<p>With a nonce, write it into each <code>&lt;script&gt;</code> tag of the code. The player’s further scripts take it over. Your server makes a new one for every response. The inline script of <code>playlist_api</code> runs only with one:</p>
{{BLOCK_POLICY_NONCE}}
{{BLOCK_NONCE}}
<h2 id="trusted-types">Trusted Types</h2>
<p>The player works with <code>require-trusted-types-for 'script'</code>. It creates no policy, so <code>trusted-types 'none'</code> is fine. With the option <code>seo</code> the browser reports the description of the film, which stays.</p>
<h2 id="sandboxes">Sandboxes and isolated pages</h2>
<p>A frame with <code>sandbox="allow-scripts"</code> plays. Without <code>allow="fullscreen"</code> it has no full-screen button, and without storage it does not resume. Frames also play in files, in pages of a <code>data:</code> URL and in cross-origin isolated pages, in these not in Safari. Other codes in isolated pages need <code>Cross-Origin-Resource-Policy</code> on files of other hosts; ours send it.</p>
<h2 id="applications">Pages in applications</h2>
<p>An application with a web view has pages of its own, at an origin such as <code>capacitor://localhost</code> or <code>http://localhost</code>. A film that only some sites may show plays there if its owner adds this origin to the sites. <code>localhost</code> and <code>127.0.0.1</code> may have a port, or <code>:*</code> for every port. Pages with a scheme of their own send no address with the request for a frame: the browser compares their origin with the list.</p>
<p>Files and pages of a <code>data:</code> URL have no origin, nor has HTML that an application gives to its web view without a base address. They show such a film only if its account allows pages that do not say where they are.</p>
