<section class="hero" aria-labelledby="hero">
<div>
<h1 id="hero">Put your videos on any page</h1>
<p class="lead">Upload a film once, and copy one line of code. It plays on every site, on every screen, in the quality that fits. You decide how it looks, and which applications may work with your account.</p>
<p class="links">{{#LOGGED_OUT}}<a class="button primary" href="{{@EMBED_CODES}}">Get an embed code</a> <a class="button" href="{{@SETTINGS}}">Log in</a>{{/LOGGED_OUT}}{{#LOGGED_IN}}<a class="button primary" href="{{@MY_MEDIA}}">Upload a film</a> <a class="button" href="{{@EMBED_CODES}}">Get an embed code</a>{{/LOGGED_IN}}</p>
</div>
<div>
{{#FILM}}<div class="stage"><div><img src="data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%22{{WIDTH}}%22%20height=%22{{HEIGHT}}%22/%3E" alt=""><iframe class="moving" loading="lazy" src="{{PLAYER}}?autoPlay=true&amp;muted=true&amp;endVideoBehavior=loop" title="{{TITLE}}" allow="autoplay; fullscreen"></iframe><iframe class="still" loading="lazy" src="{{PLAYER}}" title="{{TITLE}}" allow="autoplay; fullscreen"></iframe></div></div>
<p><label for="code">The code of this film</label>
<textarea id="code" readonly rows="{{ROWS}}" spellcheck="false">{{CODE}}</textarea>
<span class="links"><button type="button" class="copy" data-copy="code" hidden>Copy the code</button> <a href="{{CODES}}">Choose another size or look</a></span></p>
{{/FILM}}{{#SKETCH}}<svg class="sketch" viewBox="0 0 640 420" role="img" aria-label="A web page with a player in its text">
<rect class="sheet" x="1" y="1" width="638" height="418" rx="16"/>
<rect class="words" x="40" y="36" width="260" height="18" rx="9"/>
<rect class="words" x="40" y="70" width="560" height="10" rx="5"/>
<rect class="words" x="40" y="90" width="480" height="10" rx="5"/>
<rect class="screen" x="40" y="120" width="560" height="230" rx="12"/>
<circle class="sign" cx="320" cy="228" r="38"/>
<path class="arrow" d="M308 209v38l32-19z"/>
<rect class="words" x="60" y="326" width="520" height="6" rx="3"/>
<rect class="sign" x="60" y="326" width="180" height="6" rx="3"/>
<rect class="words" x="40" y="372" width="520" height="10" rx="5"/>
</svg>
{{/SKETCH}}</div>
</section>
<ul class="cards">
<li class="card"><h2><a href="{{@EMBED_CODES}}">Embed codes</a></h2><p>Choose size, colour and start of a video, see it at once, and copy its code.</p></li>
<li class="card"><h2><a href="{{@MY_MEDIA}}">Media</a></h2><p>Upload films and sound, add captions and posters, and sort them into projects.</p></li>
<li class="card"><h2><a href="{{@MY_APPLICATIONS}}">Applications</a></h2><p>Register programs that work with your account, and end their access when you like.</p></li>
<li class="card"><h2><a href="{{@DEVELOPERS}}">Developers</a></h2><p>OAuth 2 step by step, the data API with a command for each operation, oEmbed.</p></li>
</ul>
{{#DEMO}}<section class="card" aria-labelledby="demo"><h2 id="demo">This is a demonstration</h2>
{{#GALLERY}}<p><a href="{{URL}}">Gallery: every type of embed code, on a page of another site</a></p>
{{/GALLERY}}{{#USERS}}<p>Its data is invented. These users can log in:</p>
<table><thead><tr><th scope="col">Email address</th><th scope="col">Password</th></tr></thead>
<tbody>
{{#USER}}<tr><td><code>{{EMAIL}}</code></td><td><code>{{PASSWORD}}</code></td></tr>
{{/USER}}</tbody></table>
{{/USERS}}<p><a href="{{@DESIGN}}">Every part of the design of these pages</a></p></section>
{{/DEMO}}<section class="card" aria-labelledby="addresses"><h2 id="addresses">Addresses for programs</h2>
<dl>
<dt>oEmbed</dt>
<dd><code>{{OEMBED}}</code>, where <code>ID</code> is the id of a video</dd>
<dt>Registry entry of the oEmbed provider</dt>
<dd><a href="{{PROVIDERS}}">{{PROVIDERS}}</a></dd>
<dt>OAuth 2 metadata of the authorization server</dt>
<dd><a href="{{METADATA}}">{{METADATA}}</a></dd>
<dt>API, with an access token</dt>
<dd><code>{{API}}</code></dd>
</dl>
<p><a href="{{@DEVELOPERS}}">How to register an application and use the API</a></p></section>
