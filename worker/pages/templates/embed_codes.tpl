{{%AUTOESCAPE context="HTML"}}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Embed codes · {{PROVIDER}}</title>
<link rel="stylesheet" href="{{EMBED_HOST}}/assets/site.css">
<script src="{{EMBED_HOST}}/assets/copy.js" defer></script>
<script src="{{EMBED_HOST}}/assets/embed-codes.js" defer></script>
</head>
<body class="wide">
<main>
<h1>Embed codes</h1>
<p>Paste the address of a video or playlist, or its id, and choose how it should look.</p>
{{#HAS_PROBLEM}}<p class="problem" id="problem" role="alert">{{PROBLEM}}</p>{{/HAS_PROBLEM}}
<form method="get" action="/embed-codes" id="choice">
<p><label for="url">Video or playlist</label>
<input id="url" name="url" value="{{URL}}" required maxlength="2000" autocomplete="off" spellcheck="false" inputmode="url"{{#HAS_PROBLEM}} aria-invalid="true" aria-describedby="problem"{{/HAS_PROBLEM}}></p>
<fieldset><legend>Type</legend>
{{#TYPE}}<label class="choice"><input type="radio" name="embedType" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> {{NAME}}</label>
{{/TYPE}}</fieldset>
<div class="row">
<p><label for="width">Width, in pixels</label><input id="width" name="width" value="{{WIDTH}}" inputmode="numeric" pattern="[0-9]*" maxlength="5" placeholder="640"></p>
<p><label for="playerColor">Player colour</label><input id="playerColor" name="playerColor" value="{{COLOR}}" pattern="[0-9A-Fa-f]{6}" maxlength="6" placeholder="54bbff" spellcheck="false"></p>
</div>
<fieldset><legend>Options</legend>
{{#OPTION}}<label class="choice"><input type="checkbox" name="{{VALUE}}" value="true"{{#CHECKED}} checked{{/CHECKED}}> {{NAME}}</label>
{{/OPTION}}</fieldset>
<p><button class="primary">Show the code</button></p>
</form>
{{#RESULT}}<section aria-labelledby="result">
<h2 id="result"><bdi class="clamp">{{TITLE}}</bdi></h2>
<p><label for="code">Embed code</label>
<textarea id="code" readonly rows="7" spellcheck="false">{{CODE:pre_escape}}</textarea>
<button type="button" class="copy" data-copy="code" hidden>Copy the code</button></p>
<details><summary>The raw oEmbed answer</summary>
<p><a href="{{ANSWER_URL}}">{{ANSWER_URL}}</a></p>
<textarea readonly rows="10" spellcheck="false" aria-label="oEmbed answer as JSON">{{ANSWER:pre_escape}}</textarea></details>
</section>
{{/RESULT}}
<section aria-labelledby="templates">
<h2 id="templates">Ready to copy</h2>
<p>The same codes for building by hand. Replace <code>ID</code> by the id of a video, which is the last part of its address, and <code>TITLE</code>, where there is one, by its title.</p>
{{#TEMPLATE}}<h3 id="t-{{NUMBER}}">{{NAME}}</h3>
<p><textarea id="template-{{NUMBER}}" readonly rows="{{ROWS}}" spellcheck="false" aria-labelledby="t-{{NUMBER}}">{{CODE:pre_escape}}</textarea>
<button type="button" class="copy" data-copy="template-{{NUMBER}}" hidden>Copy</button></p>
{{/TEMPLATE}}</section>
</main>
</body>
</html>
