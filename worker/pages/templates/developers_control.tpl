<h1>{{TITLE}}</h1>
<p class="lead">Your page plays, seeks and listens: by a handle if the player is in the page, by messages if it is in a frame.</p>
<h2 id="handle-api">The handle</h2>
<p>The player of a script code is an object of your page. The event <code>svc:player</code> tells your scripts that a player exists, once for each:</p>
{{BLOCK_HANDLE}}
<p>The option <code>handle=film</code> also makes it <code>window.film</code>; without it, the latest player is <code>svcEmbed</code>. A script that runs later uses that name, and with several players each code needs its own:</p>
{{BLOCK_HANDLE_NAME}}
<p><code>play()</code> rejects if the browser refuses sound before the viewer has done something: call <code>mute()</code> first.</p>
<p>TypeScript has the types in <code>{{EMBED_HOST}}/assets/external/player-v1.d.ts</code>.</p>
<h2 id="methods">Methods</h2>
<dl class="members">
{{#METHOD}}<dt><code>{{CODE}}</code></dt>
<dd>{{#SAID}}{{ABOUT}}{{/SAID}}</dd>
{{/METHOD}}</dl>
<h2 id="events">Events</h2>
<p>Listen by <code>player.bind(name, listener)</code>. Each has the parameters that its listener gets:</p>
<dl class="members">
{{#EVENT}}<dt><code>{{CODE}}</code></dt>
<dd>{{#SAID}}{{ABOUT}}{{/SAID}}</dd>
{{/EVENT}}</dl>
<h2 id="playerjs-protocol">player.js</h2>
<p>A frame speaks the player.js protocol, so the npm package of that name controls it, and so do other libraries that know it:</p>
{{BLOCK_PLAYERJS}}
<p>Without a package, the same are messages. The frame answers only the pages that contain it:</p>
{{BLOCK_MESSAGES}}
