<!DOCTYPE html>
<html lang="en">
<head>
{{>HEAD}}
<link rel="canonical" href="{{PAGE}}">
<link rel="stylesheet" href="{{EMBED_HOST}}/assets/site.css">
<script src="{{EMBED_HOST}}/assets/copy.js" defer></script>
{{JSON_LD}}
</head>
<body class="wide settings">
<header><p class="product"><a href="{{HOME}}"><bdi>{{PROVIDER}}</bdi></a></p></header>
<main>
<h1><bdi class="clamp">{{TITLE}}</bdi></h1>
<div class="stage"><div><img src="data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%22{{STAGE_WIDTH}}%22%20height=%22{{STAGE_HEIGHT}}%22/%3E" alt=""><iframe src="{{PLAYER}}" title="{{TITLE}}" allow="autoplay; fullscreen"></iframe></div></div>
{{#HAS_DURATION}}<p class="meta">{{DURATION}}</p>
{{/HAS_DURATION}}{{#HAS_DESCRIPTION}}<p><bdi>{{DESCRIPTION}}</bdi></p>
{{/HAS_DESCRIPTION}}<section aria-labelledby="share"><h2 id="share">Share</h2>
<p><label for="page-link">Link</label>
<input id="page-link" class="code" value="{{PAGE}}" readonly spellcheck="false">
<button type="button" class="copy" data-copy="page-link" hidden>Copy the link</button></p>
<p><label for="embed-code">Embed code</label>
<textarea id="embed-code" readonly rows="{{ROWS}}" spellcheck="false">{{CODE}}</textarea>
<button type="button" class="copy" data-copy="embed-code" hidden>Copy the embed code</button></p>
<p><a href="{{CODES}}">Choose another size or look</a></p></section>
</main>
</body>
</html>
